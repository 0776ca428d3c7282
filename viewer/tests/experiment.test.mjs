// An experiment that another process performs (ADDRESS names the server over its store): seen, followed, stopped.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, open } from './browser.mjs';

const ADDRESS = process.env.ADDRESS ?? '';
const PATIENCE = { timeout: 60_000 };

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

test('an experiment under way is in the list, its figures come in, a run of it opens, and it can be stopped', async () => {
  const { page, complaints, close } = await open(browser, ADDRESS);
  await page.waitForSelector('.jobs progress', PATIENCE);
  await page.locator('.jobs a').click();
  await page.waitForSelector('.view-under-way progress', PATIENCE);
  const runsOf = () => document.querySelectorAll('.view-table td a').length;
  await page.waitForFunction(runsOf, null, PATIENCE);
  const before = await page.evaluate(runsOf);
  await page.waitForFunction((was) => document.querySelectorAll('.view-table td a').length > was, before, PATIENCE);

  await page.locator('.view-table td a').first().click();
  await page.waitForSelector('.view-answer', PATIENCE);
  await page.goBack();
  await page.waitForSelector('.view-under-way progress', PATIENCE);

  await page.getByRole('button', { name: 'Stop' }).click();
  await page.waitForFunction(
    () => document.querySelector('.view-under-way .note')?.innerText.startsWith('Nobody performs it now'),
    null,
    PATIENCE,
  );
  assert.match(await page.locator('.headline').innerText(), /are still to be run/);
  assert.deepEqual(complaints, []);
  await close();
});
