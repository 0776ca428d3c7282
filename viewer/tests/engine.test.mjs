// The engine in the browser: ENGINE is its file, HASHES the result hashes of native runs by scenario, with what was set
// for all of them, and PAGE a page of a run with the engine in it. SHORT is one of a run of few messages.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';

import { launch, open } from './browser.mjs';

const { set, hashes } = JSON.parse(readFileSync(process.env.HASHES ?? '', 'utf8'));

/** Starts the engine in a page and leaves it there as `ask`. */
async function start(bytes) {
  const engine = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
  globalThis.told = 0;
  const imports = { now: () => performance.now(), progress: () => (globalThis.told += 1) };
  const { instance } = await WebAssembly.instantiate(engine, { page: imports });
  globalThis.ask = (request) => {
    const text = new TextEncoder().encode(JSON.stringify(request));
    const at = instance.exports.reserve(text.length);
    new Uint8Array(instance.exports.memory.buffer, at, text.length).set(text);
    const length = instance.exports.run();
    const answer = new Uint8Array(instance.exports.memory.buffer, instance.exports.answer_at(), length);
    return JSON.parse(new TextDecoder().decode(answer));
  };
}

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

describe('the engine in a browser', () => {
  let page;
  before(async () => {
    page = await (await browser.newContext()).newPage();
    await page.evaluate(start, readFileSync(process.env.ENGINE).toString('base64'));
  });

  test('it has every ready scenario, each with the result of a native run', async () => {
    const found = {};
    for (const ready of Object.keys(hashes)) {
      const answer = await page.evaluate((request) => globalThis.ask(request), { do: 'run', scenario: { ready }, set });
      found[ready] = answer.error ?? answer.summary.result_hash;
    }
    assert.deepEqual(found, hashes);
    const { scenarios } = await page.evaluate(() => globalThis.ask({ do: 'scenarios' }));
    assert.deepEqual(scenarios.map(({ name }) => name).sort(), Object.keys(hashes).sort());
    assert.ok((await page.evaluate(() => globalThis.told)) > 0);
  });

  test('it says what is wrong with a scenario, and goes on', async () => {
    const wrong = { do: 'run', scenario: { ready: 'an1-mstage' }, set: ['traffic.load=7'] };
    const { error } = await page.evaluate((request) => globalThis.ask(request), wrong);
    assert.match(error, /traffic\.load: load 7 is out of range/);
    const right = await page.evaluate((request) => globalThis.ask(request), { ...wrong, set });
    assert.equal(right.summary.result_hash, hashes['an1-mstage']);
  });
});

describe('a page with the engine in it', () => {
  let shown;
  before(async () => (shown = await open(browser, `file://${process.env.PAGE}`)));
  after(() => shown.close());

  test('it runs its scenario from a file, without a request, and finds what the native run found', async () => {
    const { page, complaints, requests } = shown;
    await page.getByRole('button', { name: 'Run as it is' }).click();
    await page.getByText('The same result hash as the run of this page').waitFor({ timeout: 60_000 });
    assert.deepEqual(complaints, []);
    assert.deepEqual(requests, []);
  });

  test('it runs a change, and names its mistakes', async () => {
    const { page, complaints } = shown;
    await page.getByPlaceholder('path or meaning').fill('traffic.load');
    const load = page.locator('input[id="try-traffic.load"]');
    await load.fill('0.2');
    await page.getByRole('button', { name: 'Run with 1 change' }).click();
    await page.getByText('Result hash:').waitFor({ timeout: 60_000 });
    // What is typed next does not belong to it.
    await load.fill('seven');
    assert.match(await page.locator('.view-try h3').innerText(), /^Result with .*--set traffic\.load=0\.2$/);
    await page.getByRole('button', { name: 'Run with 1 change' }).click();
    await page.locator('pre.warning', { hasText: 'traffic.load' }).waitFor({ timeout: 60_000 });
    assert.deepEqual(complaints, []);
  });

  test('a value is slid by the keyboard, and its answer comes when it rests', async () => {
    const { page, complaints } = shown;
    await page.reload();
    await page.getByPlaceholder('path or meaning').fill('traffic.load');
    const slider = page.getByRole('slider', { name: 'traffic.load' });
    await slider.focus();
    for (let step = 0; step < 6; step++) await page.keyboard.press('ArrowLeft');
    assert.equal(await page.locator('input[id="try-traffic.load"]').inputValue(), '0.251');
    const heading = page.locator('.view-try h3', { hasText: '--set traffic.load=0.251' });
    await heading.waitFor({ timeout: 60_000 });
    // The result stays with the values that were typed for it.
    await page.reload();
    await heading.waitFor();
    await page.getByPlaceholder('path or meaning').fill('traffic.load');
    await slider.press('Home');
    assert.equal(await page.locator('input[id="try-traffic.load"]').inputValue(), '0.05');
    // No further than the scenario may go.
    await slider.press('End');
    assert.equal(await page.locator('input[id="try-traffic.load"]').inputValue(), '1');
    assert.deepEqual(complaints, []);
  });

  test('it cancels a long run', async () => {
    const { page } = shown;
    await page.locator('input[id="try-traffic.load"]').fill('0.5');
    await page.getByPlaceholder('path or meaning').fill('measure.messages');
    await page.locator('input[id="try-measure.messages"]').fill('900000000');
    await page.getByRole('button', { name: 'Run with 1 change' }).click();
    await page.locator('progress').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('pre.warning', { hasText: 'stopped' }).waitFor();
  });
});

describe('a page of a short run', () => {
  let shown;
  before(async () => (shown = await open(browser, `file://${process.env.SHORT}`)));
  after(() => shown.close());

  test('it says how it ended and what the numbers are worth, with no unit where there is none', async () => {
    const { page } = shown;
    await page.getByRole('button', { name: 'Run as it is' }).click();
    await page.getByText('The same result hash as the run of this page').waitFor({ timeout: 60_000 });
    assert.match(await page.locator('.view-try').innerText(), /Outcome: \w+ \(\d+ .*\)\./);
    assert.ok(await page.locator('.view-try .note', { hasText: 'No upper bound of' }).count());
    const cells = await page.getByLabel('What the run found').locator('td.number').allInnerTexts();
    assert.ok(cells.some((cell) => /\d$/.test(cell)));
    assert.ok(!cells.some((cell) => /\d 1$|ratio/.test(cell)), cells.join(', '));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.view-try').getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    const [heads, first] = readFileSync(await download.path(), 'utf8').split('\n');
    assert.equal(heads, 'metric,class,statistic,unit,before,now,low,high');
    assert.equal(first.split(',').length, heads.split(',').length);
  });

  test('what has no number says why', async () => {
    const { page } = shown;
    await page.getByPlaceholder('path or meaning').fill('measure.messages');
    await page.locator('input[id="try-measure.messages"]').fill('1');
    await page.getByRole('button', { name: 'Run with 1 change' }).click();
    await page.getByText('Result hash:').waitFor({ timeout: 60_000 });
    const rows = page.getByLabel('What the run found').getByRole('row').filter({ hasText: 'none' });
    const reasons = await rows.locator('td:last-child').allInnerTexts();
    assert.ok(reasons.length);
    for (const reason of reasons) assert.match(reason, /^too few messages for an interval$/);
    await page.reload();
    await page.getByRole('button', { name: 'Values of this run' }).click();
  });

  test('intervals of what cannot be negative are shown from 0 on', async () => {
    const { page } = shown;
    await page.getByRole('button', { name: 'Run as it is' }).click();
    await page.getByText('The same result hash as the run of this page').waitFor({ timeout: 60_000 });
    const intervals = await page.getByLabel('What the run found').locator('td:last-child').allInnerTexts();
    assert.ok(
      intervals.some((interval) => interval.startsWith('0 to ')),
      intervals.join(', '),
    );
    assert.ok(!intervals.some((interval) => /^[-\u2212]/.test(interval)), intervals.join(', '));
    const intervalOf = (metric) => page.getByRole('row', { name: metric }).first().locator('td:last-child').innerText();
    assert.equal(await intervalOf('latency, max '), '');
    assert.match(await intervalOf('latency, p99 '), / to unknown$/);
  });
});
