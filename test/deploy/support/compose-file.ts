import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

export type Service = z.infer<typeof service>;
export type ComposeFile = z.infer<typeof composeFile>;

const top = join(import.meta.dirname, '../../..');

/** The part of the compose specification that the file uses, in its one spelling. Anything else is refused here. */
const service = z.strictObject({
  build: z.literal('.').optional(),
  image: z.string(),
  profiles: z.array(z.string()).default([]),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  network_mode: z.string().optional(),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  healthcheck: z.strictObject({
    test: z.array(z.string()),
    interval: z.string(),
    timeout: z.string(),
    retries: z.number(),
  }),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.literal('service_healthy'), restart: z.boolean().optional() }))
    .default({}),
  stop_grace_period: z
    .string()
    .regex(/^\d+s$/)
    .transform((text) => Number.parseInt(text, 10))
    .optional(),
  restart: z.literal('unless-stopped').optional(),
  read_only: z.boolean().default(false),
  tmpfs: z.array(z.string()).default([]),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
});

const composeFile = z.object({
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
});

/** docker-compose.yml as compose reads it: anchors merged, and `${NAME:-usual}` taken from `env`. */
export function readCompose(env: NodeJS.ProcessEnv = {}): ComposeFile {
  const text = readFileSync(join(top, 'docker-compose.yml'), 'utf8');
  return composeFile.parse(parse(interpolated(text, env), { merge: true }));
}

const interpolated = (text: string, env: NodeJS.ProcessEnv): string =>
  text.replaceAll(/\$\{(\w+):-([^}]*)\}/g, (_, name: string, usual: string) => env[name] || usual);

/** A service, by its name in the file. */
export function serviceOf({ services }: ComposeFile, name: string): Service {
  const found = services[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
}

/** The read-only mount at a folder of a container. */
export function mountOf({ volumes }: Service, at: string): string {
  const mount = volumes.find((text) => text.endsWith(`:${at}:ro`));
  if (mount === undefined) throw new Error(`nothing is mounted read-only at ${at}`);
  return mount.slice(0, -`:${at}:ro`.length);
}
