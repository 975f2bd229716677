# Any Debian with Node 20 builds it, and the Debian that it was made for runs it; scripts/release/image.mjs can make both without a registry.
ARG NODE_IMAGE=docker.io/library/node:20-bookworm-slim
ARG DEBIAN_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
# How the builder's machine reaches the packages, where that is not as usual; it goes no further than this stage.
ARG NODE_EXTRA_CA_CERTS
ARG NPM_CONFIG_REGISTRY
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The sources come after the packages, so that a changed line does not fetch them again.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && node scripts/release/stage-image.mjs /image

FROM ${DEBIAN_IMAGE}
ARG APT_CONFIG
# git reads the repositories of projects, some by ssh, which wants its user to have a name; tini hands signals on and collects the
# children that git leaves.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git openssh-client tini \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/log/* \
 && useradd --uid 1000 --user-group --no-log-init --home-dir /nonexistent guildhall \
 && mkdir /data && chown guildhall:guildhall /data
COPY --from=build /usr/local/bin/node /usr/local/bin/
COPY --from=build /image /app
RUN ln -s /app/bin/guildhall.mjs /usr/local/bin/guildhall
WORKDIR /app
ENV NODE_ENV=production \
    ENVIRONMENT=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data
ARG VERSION=dev
LABEL org.opencontainers.image.title=Guildhall \
      org.opencontainers.image.version=${VERSION} \
      org.opencontainers.image.licenses=MIT
# By number, so that an orchestrator can see that it is not root. It writes to /data and to /tmp alone: the rest may be read-only.
USER 1000:1000
VOLUME /data
EXPOSE 8080
# Asks for the database only: without Redis the service answers 503 here but goes on working, and a restart would not help.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/v1/system/health`).then((answer) => answer.json()).then(({ services }) => process.exit(services.database === 'connected' ? 0 : 1)).catch(() => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["guildhall", "serve"]
