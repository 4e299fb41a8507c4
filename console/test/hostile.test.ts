import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostileCount, hostileTexts } from '../../bench/console/hostile-rows.ts';
import { troublesOf } from './bench/hostile.ts';
import { noBrowser, openBrowser } from './support/browser.ts';

test('the hostile texts are 200, each once', () => {
  assert.equal(new Set(hostileTexts).size, hostileCount);
});

test('a text that runs, that becomes an element, or that widens the page is seen', { skip: noBrowser }, async () => {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const troublesIn = async (inside: string): Promise<string> => {
      await page.setContent(`<div id=root><h1>Title</h1>${inside}</div>`);
      await page.waitForTimeout(100);
      return (await page.evaluate(troublesOf)).join('\n');
    };
    assert.equal(await troublesIn('<p>&lt;img src=x onerror="window.hostile=1"&gt;</p><a href="/x">x</a>'), '');
    assert.match(await troublesIn('<div style="width: 3000px">wide</div>'), /px wider than the window/);
    assert.match(await troublesIn('<a href="javascript:window.hostile=1">x</a>'), /became an element: <a/);
    assert.match(await troublesIn('<p onmouseover="x()">x</p>'), /became an element: <p/);
    assert.match(
      await troublesIn('<img src=x onerror="window.hostile=1">'),
      /a text ran[\s\S]*became an element: <img/,
    );
  } finally {
    await browser.close();
  }
});
