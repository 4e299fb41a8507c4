import type { Browser } from 'playwright-core';
import { api100kBeside } from '../../../bench/api-100k.ts';
import type { Figure } from '../../../bench/figure.ts';
import type { ServedApi } from '../../../bench/processes/setpoint.ts';
import { blankPage } from './console-page.ts';

const clients = 49;

/**
 * The figures of api-100k while one Chromium has the inventory open and 49 clients follow the events: its requests come from these clients,
 * 50 a second together.
 */
export async function apiBesideConsole(browser: Browser): Promise<readonly Figure[]> {
  const figures = await api100kBeside(async (api) => {
    const { page } = await blankPage(browser, api);
    await page.goto(`${api.url}/inventory`);
    await page.locator('.live-live').waitFor();
    await page.locator('tbody .line').first().waitFor();
    const followers = await Promise.all(Array.from({ length: clients }, () => follow(api)));
    return async () => {
      for (const end of followers) end();
      await page.context().close();
    };
  });
  return figures.map((figure) => ({ ...figure, name: figure.name.replace('api-100k', 'console-api') }));
}

/** Reads the stream of events until the returned function is called. */
async function follow({ url, token }: ServedApi): Promise<() => void> {
  const over = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/v1/events`, { headers, signal: over.signal });
  if (!answer.ok || answer.body === null) throw new Error(`a stream was refused with ${answer.status}`);
  void answer.body.pipeTo(new WritableStream()).catch(() => undefined);
  return () => over.abort();
}
