import { parentPort } from 'node:worker_threads';
import { bodyJson } from './body-json.ts';

// The thread of `json-bodies.ts`: one body, one answer.
parentPort?.once('message', (body: Uint8Array) => parentPort?.postMessage(bodyJson(body)));
