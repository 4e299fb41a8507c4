import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** Repositories served over https on 127.0.0.1, by git's own program for that. */
export interface HttpsForge {
  readonly host: string;
  /** The certificate to trust. */
  readonly certificate: string;
  /** The requests, each with its authorization. */
  readonly asked: readonly { readonly path: string; readonly authorization: string | undefined }[];
  close(): Promise<void>;
}

/** An answer instead of the repository's. If it is undefined, the repository is served. */
export type Before = (
  request: IncomingMessage,
) => { status: number; headers?: Readonly<Record<string, string>> } | undefined;

export async function httpsForge(dir: string, before: Before = () => undefined): Promise<HttpsForge> {
  const [key, certificate] = [join(dir, 'forge.key'), join(dir, 'forge.crt')];
  makeCertificate(key, certificate);
  const asked: { path: string; authorization: string | undefined }[] = [];
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
    asked.push({ path: request.url ?? '', authorization: request.headers.authorization });
    const instead = before(request);
    if (instead) response.writeHead(instead.status, instead.headers).end(`no: ${request.headers.authorization}\n`);
    else serve(dir, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // why: a server that listens on a port has an address of this form
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    certificate,
    asked,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** One for all of a folder, so that trust in one of its forges is trust in all. */
function makeCertificate(key: string, certificate: string): void {
  if (existsSync(certificate)) return;
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const named = ['-subj', '/CN=forge', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', [...args, ...named, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
}

/** https://git-scm.com/docs/git-http-backend: as a web server runs it. */
function serve(dir: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'https://forge');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: dir,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf('\r\n\r\n');
    const headers = all
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => pairOf(line));
    const status = headers.find(([name]) => name === 'Status')?.[1];
    response.writeHead(Number.parseInt(status ?? '200', 10), Object.fromEntries(headers)).end(all.subarray(end + 4));
  });
}

function pairOf(line: string): readonly [name: string, value: string] {
  const at = line.indexOf(': ');
  return [line.slice(0, at), line.slice(at + 2)];
}
