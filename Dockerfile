# NODE_IMAGE builds, and DEBIAN_IMAGE of the same Debian release runs. scripts/release/image.mjs can create both without a
# registry.
ARG NODE_IMAGE=docker.io/library/node:20-bookworm-slim
ARG DEBIAN_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
# Optional certificates and npm registry of the build machine; they are not copied into the final image.
ARG NODE_EXTRA_CA_CERTS
ARG NPM_CONFIG_REGISTRY
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Packages are installed before the sources are copied, so that a source change does not install them again.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && node scripts/release/stage-image.mjs /image

FROM ${DEBIAN_IMAGE}
ARG APT_CONFIG
# git reads project repositories, partly over ssh, which requires a named user. tini forwards signals and reaps git's child
# processes.
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
# A numeric user lets an orchestrator verify that it is not root. Only /data and /tmp need to be writable.
USER 1000:1000
VOLUME /data
EXPOSE 8080
# Checks only the database: without Redis the endpoint returns 503, but the service works and a restart would not help.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/v1/system/health`).then((answer) => answer.json()).then(({ services }) => process.exit(services.database === 'connected' ? 0 : 1)).catch(() => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["guildhall", "serve"]
