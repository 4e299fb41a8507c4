import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { namesType } from './negotiation.ts';

/** A page loads files of this server only, and runs no inline script or style. */
const policy = [
  "default-src 'none'",
  ...['script-src', 'style-src', 'img-src', 'font-src', 'connect-src', 'worker-src'].map((kind) => `${kind} 'self'`),
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves the built console. Each address of a screen gets the one page, and its scripts read the address. The names of other files contain a
 * hash of the content, so browsers keep them. Without a built console it adds no route, and `/` answers 404.
 *
 * Only a request that names HTML gets the page. Probes and curl accept any type, and a page would hide a wrong address from them.
 *
 * `folder`: the output of `npm run console:build`.
 */
export function consoleRoutes(app: FastifyInstance, folder: string): void {
  if (!existsSync(join(folder, 'index.html'))) return;
  app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/assets/',
    ...{ index: false, dotfiles: 'deny', acceptRanges: false, immutable: true, maxAge: '365d' },
  });
  app.route({
    method: ['GET', 'HEAD'],
    url: '/*',
    handler: async ({ url, headers: { accept } }, reply) => {
      const isPage = !/^\/(?:v1|assets)(?:\/|$)/.test(url) && namesType(accept, 'text/html');
      if (!isPage) return reply.callNotFound();
      reply.headers({ 'content-security-policy': policy, 'cache-control': 'no-cache' });
      return reply.sendFile('index.html', folder, { cacheControl: false, acceptRanges: false });
    },
  });
}
