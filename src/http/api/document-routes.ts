import type { FastifyInstance, FastifyReply } from 'fastify';
import { docsPage } from './docs/page.ts';
import { style } from './docs/style.ts';
import { type ApiDocument, documentOf } from './document.ts';
import { etagOf, isNamed } from './etag.ts';
import type { Route } from './route.ts';

/** /openapi.json, and /docs, the same for people. Anybody may read what the API is. */
export function documentRoutes(api: FastifyInstance, routes: readonly Route[]): void {
  let made: { readonly document: ApiDocument; readonly text: string; readonly page: string } | undefined;
  const once = () => {
    // why: whoever asks for neither does not wait for them at the start
    if (made === undefined) {
      const document = documentOf(routes);
      made = { document, text: JSON.stringify(document), page: docsPage(document) };
    }
    return made;
  };
  const pages: readonly [url: string, type: string, text: () => string][] = [
    ['/openapi.json', 'application/json', () => once().text],
    ['/docs', 'text/html; charset=utf-8', () => once().page],
    ['/docs/style.css', 'text/css; charset=utf-8', () => style],
  ];
  for (const [url, type, text] of pages)
    api.route({ method: ['GET', 'HEAD'], url, handler: async (_, reply) => sendPage(reply, type, text()) });
}

/** A page loads its style from here, and nothing else from anywhere. */
const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function sendPage(reply: FastifyReply, type: string, text: string): FastifyReply {
  const etag = etagOf(text);
  reply.headers({ 'content-security-policy': policy, 'cache-control': 'no-cache', etag });
  if (isNamed(etag, reply.request.headers['if-none-match'])) return reply.code(304).send();
  return reply.type(type).send(text);
}
