import type { TestEvent } from 'node:test/reporters';

/** One test, or a whole suite of them, as it ended. */
export interface Told {
  readonly name: string;
  readonly passed: boolean;
}

/** A reporter of Node's test runner: a JSON object a line, `Told`. A test that was skipped did not pass. */
// biome-ignore lint/style/noDefaultExport: Node takes a reporter's default export
export default async function* tellTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const passed = type === 'test:pass' && data.skip === undefined && data.todo === undefined;
    yield `${JSON.stringify({ name: data.name, passed } satisfies Told)}\n`;
  }
}
