// The page with its server behind it (ADDRESS names it, with the token): list, change, run, cancel, compare.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, open } from './browser.mjs';

const ADDRESS = process.env.ADDRESS ?? '';

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

async function atRun() {
  const opened = await open(browser, ADDRESS);
  await opened.page.locator('.runs a').first().click();
  await opened.page.waitForSelector('.view-try form');
  return opened;
}

test('the list names what is in the folder', async () => {
  const { page, complaints, close } = await open(browser, ADDRESS);
  assert.ok((await page.locator('.runs li').count()) >= 1);
  assert.deepEqual(complaints, []);
  await close();
});

for (const width of [375, 1200]) {
  test(`the box of a run stands beside its words, however long they are, at ${width} px`, async () => {
    const { page, close } = await open(browser, ADDRESS, { width });
    const runs = await page.locator('.runs li').all();
    assert.ok(runs.length >= 3);
    for (const run of runs) {
      const [box, words] = [await run.locator('input').boundingBox(), await run.locator('a').boundingBox()];
      assert.ok(box.x + box.width <= words.x, 'the box is on the left');
      assert.ok(Math.abs(box.y - words.y) < box.height, 'the box is at the first line');
    }
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    await close();
  });
}

test('a run that cannot be read says why, with its hint on a line of its own', async () => {
  const { page, close } = await open(browser, ADDRESS);
  const words = await page.locator('.runs li', { hasText: 'cannot be read' }).innerText();
  assert.match(words, /^cannot read `.*summary\.json` .*\nhint: /m);
  assert.doesNotMatch(words, /\\u000a/);
  await close();
});

test('a changed value is run and compared with the run that it was changed in', async () => {
  const { page, complaints, close } = await atRun();
  await page.getByLabel('traffic.load', { exact: true }).fill('0.4');
  await page.getByRole('button', { name: 'Run with 1 change' }).click();
  await page.getByRole('link', { name: 'Compare with this one' }).click({ timeout: 60_000 });
  await page.waitForSelector('#page h2');
  assert.match(await page.locator('main').innerText(), /traffic\.load/);
  assert.deepEqual(complaints, []);
  await close();
});

test('a value that the scenario refuses is told with its reason', async () => {
  const { page, close } = await atRun();
  await page.getByLabel('traffic.load', { exact: true }).fill('-1');
  await page.getByRole('button', { name: 'Run with 1 change' }).click();
  await page.waitForSelector('.view-try .warning');
  assert.match(await page.locator('.view-try .warning').innerText(), /traffic\.load|above 0/);
  await close();
});

test('a warm-up is typed, what is emptied stays as it was, and both are there on the way back', async () => {
  const { page, complaints, close } = await atRun();
  const warmup = page.getByLabel('measure.warmup', { exact: true });
  await warmup.fill('1 ms');
  const delay = page.getByLabel('link.delay', { exact: true });
  const was = await delay.inputValue();
  await delay.fill('');
  assert.equal(await delay.getAttribute('placeholder'), was);
  await page.getByRole('button', { name: 'Run with 1 change' }).click();
  await page.getByRole('link', { name: 'Open the new run' }).click({ timeout: 60_000 });
  await page.waitForSelector('.view-try form');
  assert.equal(await page.getByLabel('measure.warmup', { exact: true }).inputValue(), '1 ms');
  await page.goBack();
  await page.waitForSelector('.view-try form');
  assert.equal(await page.getByLabel('measure.warmup', { exact: true }).inputValue(), '1 ms');
  await page.getByRole('button', { name: 'Values of this run' }).click();
  assert.equal(await page.getByLabel('measure.warmup', { exact: true }).inputValue(), 'auto');
  assert.equal(
    await page
      .getByLabel('seed', { exact: true })
      .evaluate((each) => each.parentElement.querySelectorAll('[type=range]').length),
    0,
  );
  assert.deepEqual(complaints, []);
  await close();
});

test('runs that are ticked stay so on the way back', async () => {
  const { page, close } = await open(browser, ADDRESS);
  await page.locator('.runs input').first().check();
  await page.locator('.runs a').first().click();
  await page.waitForSelector('#page h2');
  await page.goBack();
  await page.waitForSelector('.runs');
  assert.ok(await page.locator('.runs input').first().isChecked());
  await close();
});

test('a long run is under way on the page, and ends when it is cancelled', async () => {
  const { page, close } = await atRun();
  await page.getByLabel('measure.messages', { exact: true }).fill('1000000000');
  await page.getByRole('button', { name: 'Run with 1 change' }).click();
  await page.waitForSelector('.view-try progress');
  await page.waitForFunction(() =>
    /messages/.test(document.querySelector('.view-try progress')?.parentElement?.innerText ?? ''),
  );
  await page.locator('.view-try').getByRole('button', { name: 'Cancel' }).click();
  await page.waitForSelector('.view-try pre.warning');
  assert.match(await page.locator('.view-try pre.warning').innerText(), /cancelled/);
  await close();
});

test('a page opens at the section that its address names', async () => {
  const { page, close } = await atRun();
  const section = await page.locator('nav a').last().getAttribute('href');
  const address = page.url();
  await page.goto('about:blank');
  await page.goto(address + section);
  await page.waitForSelector('.view-try form');
  await page.waitForFunction(
    (name) => scrollY > 0 && document.querySelector(name).getBoundingClientRect().top < innerHeight,
    section,
  );
  await close();
});

test('a page leads back to the list of all results, and so does a run that is not there', async () => {
  const { page, close } = await atRun();
  const list = page.getByRole('link', { name: 'All results' });
  await list.click();
  await page.waitForSelector('.runs');
  assert.equal(await list.count(), 0);
  await page.goto(new URL('/view?run=nothing', page.url()).href);
  await page.getByText('The page cannot be shown').waitFor();
  await list.click();
  await page.waitForSelector('.runs');
  await close();
});
