// The widget of a run (SCRIPT is its module, HTML its page) as a notebook draws it: a frame with the page's first views.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { launch } from './browser.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

test('a notebook shows the answer, the map and why, and the page cannot reach the notebook', async () => {
  const page = await browser.newPage();
  const complaints = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (failure) => complaints.push(failure.message));
  await page.setContent('<!DOCTYPE html><html lang="en"><title>notebook</title><div id="cell"></div></html>');
  await page.evaluate(
    async ([script, html]) => {
      const module = await import(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })));
      const values = { title: 'a run', html };
      module.default.render({ model: { get: (name) => values[name] }, el: document.getElementById('cell') });
    },
    [readFileSync(process.env.SCRIPT, 'utf8'), readFileSync(process.env.HTML, 'utf8')],
  );
  const shown = page.frameLocator('iframe');
  await shown.locator('.view-map').scrollIntoViewIfNeeded();
  await shown.locator('.view-map canvas[data-frame-ms]').first().waitFor({ timeout: 60_000 });
  assert.ok(await shown.locator('.view-answer').isVisible());
  assert.ok(await shown.locator('.view-why').isVisible());
  const [, frame] = page.frames();
  assert.match(
    await frame.evaluate(() => {
      try {
        return parent.document.title;
      } catch (refused) {
        return refused.name;
      }
    }),
    /SecurityError/,
  );
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/notebook.png`, fullPage: true });
  assert.deepEqual(complaints, []);
  await page.close();
});
