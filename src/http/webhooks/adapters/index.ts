import type { WebhookAdapter } from '../adapter.ts';
import { eventbridge } from './eventbridge.ts';
import { eventgrid } from './eventgrid.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { hmac } from './hmac.ts';

/** Those that share a secret with their hook: one line each. Pub/Sub shares none, and has its own. */
export const adapters = { github, gitlab, hmac, eventbridge, eventgrid } satisfies Readonly<
  Record<string, WebhookAdapter<string>>
>;
