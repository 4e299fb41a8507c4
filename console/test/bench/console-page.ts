import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { ServedApi } from '../../../bench/processes/setpoint.ts';
import { openPage, type Watched } from '../support/browser.ts';

/** A page of a signed-in browser with an empty cache, and nothing loaded yet. */
export async function blankPage(
  browser: Browser,
  { url, token }: Pick<ServedApi, 'url' | 'token'>,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const watched = await openPage(browser, url, options);
  const { request } = watched.page.context();
  const answer = await request.post(`${url}/v1/session`, { data: { token } });
  if (!answer.ok()) throw new Error(`the sign-in failed with ${answer.status()}: ${await answer.text()}`);
  return watched;
}

export const middleOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

export const rounded = (value: number): number => Math.round(value * 10) / 10;
