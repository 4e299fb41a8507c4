import type { FastifyInstance, FastifyReply } from 'fastify';
import { etagOf, matchesEtag } from './answers.ts';
import { type OpenApiDocument, openApiDocument } from './openapi.ts';
import type { Route } from './route.ts';

/** /openapi.json, and /docs, the same for people. Anybody may read what the API is. */
export function documentRoutes(api: FastifyInstance, routes: readonly Route[]): void {
  let made: { readonly document: OpenApiDocument; readonly text: string; readonly page: string } | undefined;
  const once = () => {
    // why: whoever asks for neither does not wait for them at the start
    if (made === undefined) {
      const document = openApiDocument(routes);
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
  if (matchesEtag(etag, reply.request.headers['if-none-match'])) return reply.code(304).send();
  return reply.type(type).send(text);
}

type Paths = NonNullable<OpenApiDocument['paths']>;
type Operation = NonNullable<Paths[string]['get']>;
type Parameter = NonNullable<Operation['parameters']>[number];
type Answer = NonNullable<Operation['responses']>[string];

interface DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The document as a page for people: no script, and nothing from elsewhere. */
function docsPage(document: OpenApiDocument): string {
  const operations = documentedOperations(document);
  const sections = [...Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? '')];
  const { title, description = '' } = document.info;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} API</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<header><h1>${escaped(title)} API</h1><p>${escaped(description)}</p>
<p><code>curl --header "Authorization: Bearer $SETPOINT_TOKEN" …</code> · <a href="/openapi.json">openapi.json</a></p></header>
<nav>${sections.map(([tag, of]) => `<h2>${escaped(tag)}</h2><ul>${of.map(entry).join('')}</ul>`).join('')}</nav>
<main>${sections.map(([tag, of]) => `<h2>${escaped(tag)}</h2>${of.map(article).join('')}`).join('')}
<h2>Shapes</h2>${Object.entries(document.components?.schemas ?? {})
    .map(shape)
    .join('')}</main>
</body>
</html>
`;
}

const documentedOperations = ({ paths = {} }: OpenApiDocument): readonly DocumentedOperation[] =>
  Object.entries(paths).flatMap(([path, { get, post, delete: remove }]) =>
    [
      { method: 'GET', operation: get },
      { method: 'POST', operation: post },
      { method: 'DELETE', operation: remove },
    ].flatMap(({ method, operation }) => (operation === undefined ? [] : [{ method, path, operation }])),
  );

const entry = ({ method, path, operation }: DocumentedOperation): string =>
  `<li><a href="#${escaped(operation.operationId ?? '')}"><b>${method}</b> ${escaped(path)}</a></li>`;

function article({ method, path, operation }: DocumentedOperation): string {
  const { operationId = '', summary = '', description = '', parameters = [], requestBody, responses = {} } = operation;
  const permission: unknown = Reflect.get(operation, 'x-setpoint-permission');
  const body = requestBody && 'content' in requestBody ? schemaIn(requestBody.content['application/json']) : undefined;
  return `<article id="${escaped(operationId)}">
<h3><b>${method}</b> <code>${escaped(path)}</code></h3>
<p>${escaped(summary)}${description === '' ? '' : `. ${escaped(description)}`}</p>
<p class="needs">${typeof permission === 'string' ? `Needs <b>${escaped(permission)}</b>` : 'Anybody may ask'}</p>
${parameters.length === 0 ? '' : `<table>${parameters.map(parameter).join('')}</table>`}
${body === undefined ? '' : `<details><summary>Body</summary>${schemaText(body)}</details>`}
${Object.entries(responses).map(answer).join('')}
</article>
`;
}

function parameter(one: Parameter): string {
  if (!('in' in one)) return '';
  const { name, in: where, required, description = '', schema = {} } = one;
  return `<tr><td><code>${escaped(name)}</code></td><td>${where}${required ? ', required' : ''}</td><td>${escaped(description)}</td><td>${schemaText(schema)}</td></tr>`;
}

function answer([status, one]: [string, Answer]): string {
  if (!('description' in one)) return '';
  const types: [string, object][] = Object.entries('content' in one ? (one.content ?? {}) : {});
  const shown = types.map(([type, media]) => `<p>${escaped(type)}</p>${schemaText(schemaIn(media))}`).join('');
  return `<details><summary><b>${escaped(status)}</b> ${escaped(one.description ?? '')}</summary>${shown}</details>`;
}

const shape = ([name, schema]: [string, unknown]): string =>
  `<article id="shape-${escaped(name)}"><h3>${escaped(name)}</h3>${schemaText(schema)}</article>`;

const schemaIn = (media: object | undefined): unknown => media && Reflect.get(media, 'schema');

/** Of what it refers to, a link. */
const schemaText = (schema: unknown): string =>
  schema === undefined
    ? ''
    : `<pre>${escaped(JSON.stringify(schema, undefined, 2)).replace(/#\/components\/schemas\/(\w+)/g, '<a href="#shape-$1">$1</a>')}</pre>`;

/** Text as a page shows it: nothing in it is read as markup. */
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** The style of the docs page, in light and dark. */
const style = `:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 0; display: grid; grid-template: auto 1fr / minmax(16rem, 22rem) minmax(0, 1fr); }
header { grid-column: 1 / -1; padding: 1rem 2rem; border-bottom: 1px solid #8886; }
nav { padding: 0 1rem 2rem 2rem; font-size: 13px; position: sticky; top: 0; max-height: 100vh; overflow: auto; }
nav ul { list-style: none; padding: 0; }
nav a { text-decoration: none; overflow-wrap: anywhere; }
main { padding: 0 2rem 4rem; }
h1, h2, h3 { line-height: 1.25; }
h3 b, nav b { font: 600 12px ui-monospace, monospace; }
article { border-top: 1px solid #8883; padding-bottom: 1rem; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
pre { margin: .25rem 0; padding: .5rem .75rem; overflow: auto; background: #8881; border-radius: 4px; max-height: 28rem; }
table { border-collapse: collapse; width: 100%; }
td { border-top: 1px solid #8883; padding: .25rem .75rem .25rem 0; vertical-align: top; }
.needs { color: #777; }
@media (max-width: 60rem) { body { display: block; } nav { position: static; max-height: none; } }
`;
