import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Tls } from './door.ts';
import { requestLimits } from './limits.ts';

/** A server that holds its connections to our limits, with TLS or without. */
export function httpServer(handler: RequestListener, tls: Tls | undefined): Server {
  const { headerBytes, headersMs, requestMs, idleMs, connections, checkMs } = requestLimits;
  const limits = {
    maxHeaderSize: headerBytes,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
    // why: Node's own refusal is no problem of RFC 9457; ours is in open-app.ts
    requireHostHeader: false,
  };
  const server =
    tls === undefined
      ? createServer(limits, handler)
      : createTlsServer({ ...limits, ...tls, minVersion: 'TLSv1.2' }, handler);
  server.setTimeout(requestMs);
  server.maxConnections = connections;
  return server;
}
