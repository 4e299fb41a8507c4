# Setpoint for a fleet: docker build --tag setpoint .
# Databases are given to it (DATABASE_URL, REDIS_URL): the one that Setpoint brings for a single machine, and its own Node,
# are left out here. Nothing is written but in /data, where keys and signed checkpoints lie, and in /tmp.
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY bin bin
COPY scripts scripts
COPY sandbox sandbox
COPY providers providers
COPY src src
COPY console console
RUN npm run console:build && npm run build

FROM node:24-slim AS packages
WORKDIR /packages
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:24-slim
# For specs in a git repository, and for the signatures of its commits.
RUN apt-get update -qq \
  && apt-get install -y -qq --no-install-recommends ca-certificates git gnupg openssh-client \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /opt/setpoint
COPY --from=packages /packages/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY --from=build /build/dist dist
# A new volume begins as the folder that it covers: /data is the plain user's alone.
# The user has a name: ssh and ssh-keygen run for nobody else.
RUN chmod 755 bin/setpoint.mjs \
  && useradd --uid 10001 --user-group --home-dir /data --no-create-home --shell /usr/sbin/nologin setpoint \
  && ln -s /opt/setpoint/bin/setpoint.mjs /usr/local/bin/setpoint \
  && install --directory --owner=10001 --group=10001 --mode=0700 /data
USER 10001:10001
WORKDIR /data
VOLUME ["/data"]
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "--eval", "fetch('http://127.0.0.1:9464/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["setpoint"]
CMD ["worker", "/specs", "--health-port", "9464"]
