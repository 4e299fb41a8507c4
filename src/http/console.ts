import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { namesType } from './negotiation.ts';

/** Everything is of this server: a page loads nothing from elsewhere, and runs no script or style that is not a file of the build. */
const policy = [
  "default-src 'none'",
  ...['script-src', 'style-src', 'img-src', 'font-src', 'connect-src', 'worker-src'].map((kind) => `${kind} 'self'`),
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves the built console at `/`, and answers each address of a screen with the one page: its scripts read the rest of the address. The
 * names of other files have a hash of the content, so browsers keep them. Does nothing where the console is not built: `/` is then a 404.
 * Only a request that names HTML gets the page. Probes and curl send any type: a page would tell them that a wrong address is right.
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
