import { parentPort } from 'node:worker_threads';
import { parseBody } from '../json.ts';

// The thread of `bodies.ts`: one body, one answer.
parentPort?.once('message', (body: Uint8Array) => parentPort?.postMessage(parseBody(body)));
