import { parentPort } from 'node:worker_threads';
import { type Evaluated, type Evaluation, evaluateAll } from './evaluation.ts';

// The thread of evaluator.ts.

const port = parentPort;
if (port === null) throw new Error('this file is a thread of evaluator.ts');
port.on('message', (evaluation: Evaluation) => port.postMessage(evaluateAll(evaluation) satisfies Evaluated));
