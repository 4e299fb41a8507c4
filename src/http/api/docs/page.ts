import type { ApiDocument } from '../document.ts';
import { escaped } from './html.ts';

type Paths = NonNullable<ApiDocument['paths']>;
type Operation = NonNullable<Paths[string]['get']>;
type Parameter = NonNullable<Operation['parameters']>[number];
type Answer = NonNullable<Operation['responses']>[string];

interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The document as a page for people: no script, and nothing from elsewhere. */
export function docsPage(document: ApiDocument): string {
  const operations = placedIn(document);
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

const placedIn = ({ paths = {} }: ApiDocument): readonly Placed[] =>
  Object.entries(paths).flatMap(([path, { get, post, delete: remove }]) =>
    [
      { method: 'GET', operation: get },
      { method: 'POST', operation: post },
      { method: 'DELETE', operation: remove },
    ].flatMap(({ method, operation }) => (operation === undefined ? [] : [{ method, path, operation }])),
  );

const entry = ({ method, path, operation }: Placed): string =>
  `<li><a href="#${escaped(operation.operationId ?? '')}"><b>${method}</b> ${escaped(path)}</a></li>`;

function article({ method, path, operation }: Placed): string {
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
