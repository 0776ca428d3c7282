// What a reader does with the views of exported pages (PAGES names their folder): select, follow, come back, sort,
// keep, print. parts.html has a table, a figure, a comparison and a chain of values that the tests know.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { launch, open, seeAll } from './browser.mjs';

const FOLDER = process.env.PAGES ?? '';
const addressOf = (name) => `file://${join(FOLDER, name)}.html`;
const WAIT = [0xd1, 0x66, 0x2b];
const SERVICE = [0x2f, 0x77, 0xad];

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** The page, with every view drawn. */
async function seen(name, options) {
  const opened = await open(browser, addressOf(name), options);
  await seeAll(opened.page);
  return opened;
}

/** How many points of a canvas have a colour. */
const pointsOf = (canvas, colour) =>
  canvas.evaluate((each, wanted) => {
    const { data } = each.getContext('2d').getImageData(0, 0, each.width, each.height);
    let found = 0;
    for (let at = 0; at < data.length; at += 4) found += wanted.every((part, nth) => data[at + nth] === part);
    return found;
  }, colour);

/** What a button gives as a file: its name and its text. */
async function given(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}

describe('a map and the messages below it', () => {
  for (const name of ['fabric', 'lossless', 'arpanet'])
    test(`every place of the worst message leads to its resources: ${name}`, async () => {
      const { page, complaints, close } = await seen(name);
      await page.getByRole('button', { name: 'The worst one' }).click();
      const places = page.locator('.view-time-space td button');
      assert.ok((await places.count()) > 2);
      for (const place of await places.all()) {
        await place.click();
        const words = await place.innerText();
        assert.equal(await page.locator('.view-map .chosen h3').innerText(), words);
        assert.ok(await page.locator('.view-map .chosen summary').count(), words);
        assert.ok(await page.locator('.view-map canvas').isVisible());
      }
      assert.deepEqual(complaints, []);
      await close();
    });

  test('a place is found in capitals, and by what the messages call it, which the field offers', async () => {
    const { page, close } = await seen('fabric');
    const field = page.getByLabel('Resource', { exact: true });
    const offered = await page.locator('.view-map datalist option').evaluateAll((all) => all.map(({ value }) => value));
    const link = offered.find((name) => name.includes(' -> '));
    for (const name of [link, link.toUpperCase(), 'L0S1']) {
      await field.fill(name);
      await field.press('Enter');
      assert.ok(await page.locator('.view-map .chosen summary').count(), name);
    }
    await close();
  });

  test('Enter selects a node and Escape none; Escape also closes the words beside the pointer', async () => {
    const { page, close } = await seen('fabric');
    const map = page.locator('.view-map canvas');
    const field = page.getByLabel('Resource', { exact: true });
    await map.focus();
    await page.keyboard.press('Enter');
    assert.match(await field.inputValue(), /^\w+$/);
    await page.keyboard.press('Escape');
    assert.equal(await field.inputValue(), '');
    const { x, y, width, height } = await map.boundingBox();
    const tip = page.locator('.view-map .tip');
    for (let down = 0; down < height && !(await tip.count()); down += 4)
      await page.mouse.move(x + width / 2 + (down % 60), y + down);
    assert.match(await tip.innerText(), /^\w+$|in use$/);
    await page.keyboard.press('Escape');
    assert.equal(await tip.count(), 0);
    await close();
  });

  test('what is selected, shown and followed is still there when the page is loaded again', async () => {
    const { page, complaints, close } = await seen('fabric');
    const field = page.getByLabel('Resource', { exact: true });
    await field.fill('l0s1');
    await field.press('Enter');
    await page.getByLabel('Colour by').selectOption('waiting');
    await page.getByRole('slider', { name: 'Simulated time' }).focus();
    for (let step = 0; step < 10; step += 1) await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: 'The worst one' }).click();
    const look = async () => [
      await field.inputValue(),
      await page.getByLabel('Colour by').inputValue(),
      await page.locator('.view-map output').innerText(),
      await page.getByLabel(/^Follow/).inputValue(),
      await page.locator('.view-time-space [role=status]').innerText(),
    ];
    const was = await look();
    // The page writes down what it keeps ten times a second at most: the message that was followed last comes with the
    // rest.
    await page.waitForFunction((followed) => String(history.state?.message) === followed, was[3]);
    await page.reload();
    await seeAll(page);
    assert.deepEqual(await look(), was);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('whatever message is followed is offered, and nothing is shown from before the run', async () => {
    const { page, close } = await seen('fabric');
    const follow = page.getByLabel(/^Follow/);
    const offered = await follow.locator('option').evaluateAll((all) => all.map(({ value }) => value));
    const canvas = page.locator('.view-time-space canvas');
    const others = new Set();
    for (let nth = 0; nth < 60; nth += 1) {
      await page.getByRole('button', { name: 'Whole time' }).click();
      const { width, height } = await canvas.boundingBox();
      await canvas.click({ position: { x: 4 + ((nth * 37) % (width - 8)), y: 9 + ((nth * 18) % (height - 18)) } });
      const heading = page.locator('.view-time-space h3').first();
      if (!(await heading.count())) continue;
      const [number] = (await heading.innerText()).match(/\d+/);
      assert.equal(await follow.inputValue(), number);
      assert.match(await page.locator('.view-time-space [role=status]').innerText(), /^From \d/);
      if (!offered.includes(number)) others.add(number);
    }
    assert.ok(others.size, 'some of them are not among the longest');
    await close();
  });

  test('the waits and services of a message that is followed keep their colours', async () => {
    const { page, close } = await seen('fabric');
    await page.getByRole('button', { name: 'The worst one' }).click();
    const canvas = page.locator('.view-time-space canvas');
    await page.waitForTimeout(100);
    assert.ok((await pointsOf(canvas, WAIT)) > 20);
    assert.ok((await pointsOf(canvas, SERVICE)) > 20);
    await close();
  });
});

describe('a printed page', () => {
  test('has the map and the diagram though nobody has looked at them', async () => {
    const { page, close } = await open(browser, addressOf('fabric'), { width: 800 });
    assert.ok((await page.locator('.lazy').last().boundingBox()).y > 1500);
    await page.waitForFunction(
      () => [...document.querySelectorAll('.lazy')].every((each) => each.querySelector('canvas')?.dataset.frameMs),
      null,
      { timeout: 10_000 },
    );
    await close();
  });

  test('is drawn for paper in dark surroundings as well', async () => {
    const { page, close } = await seen('fabric', { scheme: 'dark' });
    const corner = (event) =>
      page.evaluate(async (name) => {
        if (name) dispatchEvent(new Event(name));
        await Promise.resolve();
        const canvases = [...document.querySelectorAll('main canvas')];
        return canvases.map((each) => each.getContext('2d').getImageData(1, 1, 1, 1).data[0]);
      }, event);
    assert.deepEqual(await corner(), [0x14, 0x14]);
    assert.deepEqual(await corner('beforeprint'), [255, 255]);
    assert.deepEqual(await corner('afterprint'), [0x14, 0x14]);
    await close();
  });
});

describe('tables and figures', () => {
  const shownOf = (page, column) =>
    page
      .locator('.view-table tbody tr')
      .evaluateAll((rows, nth) => rows.map((row) => row.children[nth].innerText), column);

  test('amounts are sorted by their size, whatever their unit', async () => {
    const { page, close } = await seen('parts');
    const sizes = {
      used: ['<1\u00a0%', '2\u00a0%', '13\u00a0%', '0\u00a0%'],
      each: ['10 µs', '0.28 ms', '41 ms', '1.2 s'],
      delay: ['', '97.9 [56.1, 140]', '416.1 [400.0, unknown]', '2 221 [1 900, 2 540]'],
    };
    sizes.used.unshift(sizes.used.pop());
    for (const [nth, [name, rising]] of Object.entries(sizes).entries()) {
      const head = page.locator('.view-table').getByRole('button', { name });
      await head.click();
      assert.deepEqual(await shownOf(page, nth + 1), rising.toReversed());
      await head.click();
      assert.deepEqual(await shownOf(page, nth + 1), rising);
    }
    await close();
  });

  test('a table is given with plain numbers, as it is sorted, under its own name', async () => {
    const { page, close } = await seen('parts');
    await page.locator('.view-table').getByRole('button', { name: 'each' }).click();
    const { name, text } = await given(page, page.getByRole('button', { name: 'Save as CSV' }));
    assert.equal(name, 'busiest-resources.csv');
    assert.deepEqual(text.trim().split('\n'), [
      'resource,used (%),each (s),delay,"delay, low","delay, high"',
      'd,0,1.2,,,',
      'b,13,0.041,416.1,400,',
      'a,<1 %,0.00028,97.9,56.1,140',
      'c,2,0.00001,2221,1900,2540',
    ]);
    await close();
  });

  test('a drawing is given with its title and its legend; bars, which are a table, are not', async () => {
    const { page, close } = await seen('parts');
    const figure = page.locator('figure', { hasText: 'Delay by size' });
    await figure.locator('summary').click();
    const { name, text } = await given(page, figure.getByRole('button', { name: 'SVG' }));
    assert.equal(name, 'delay-by-size.svg');
    for (const words of ['Delay by size', 'median', '99th percentile']) assert.ok(text.includes(`>${words}<`), words);
    // A dashed series has its own colour in the legend as well, on the page and in the drawing.
    const colour = await figure.locator('.line.dashed').evaluate((each) => getComputedStyle(each).stroke);
    const key = figure.locator('.key.dashed');
    assert.equal(await key.evaluate((each) => getComputedStyle(each).borderTopColor), colour);
    assert.equal(text.match(new RegExp(`stroke="${colour.replace(/[()]/g, '.')}"`, 'g')).length, 2);
    const bars = page.locator('figure', { has: page.locator('table.bars') });
    assert.ok(await bars.count());
    assert.equal(await bars.getByRole('button', { name: /SVG|PNG/ }).count(), 0);
    await close();
  });

  test('an axis within a decade has marks to read it by', async () => {
    const { page, close } = await seen('parts');
    const marks = page.locator('figure', { hasText: 'Delay by size' }).locator('text.tick[text-anchor=end]');
    assert.deepEqual(await marks.allTextContents(), ['25', '30', '35', '40', '45', '50']);
    await close();
  });

  test('changes have other colours than waits and services, and a legend', async () => {
    const { page, close } = await seen('parts');
    const figure = page.locator('figure', { hasText: 'mean message lifetime' });
    assert.deepEqual(await figure.locator('.legend li').allInnerTexts(), [
      'longer in the second run',
      'shorter in the second run',
    ]);
    const colours = await figure
      .locator('.bar')
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).backgroundColor));
    assert.equal(colours.length, 4);
    assert.equal(new Set(colours).size, 3);
    for (const taken of [WAIT, SERVICE]) assert.ok(!colours.includes(`rgb(${taken.join(', ')})`));
    await close();
  });

  test('a chain without a map has nothing to select', async () => {
    const { page, close } = await seen('parts');
    assert.equal(await page.locator('.chain li').count(), 2);
    assert.equal(await page.locator('.chain button').count(), 0);
    await close();
  });

  test('a table that is wider than its place shows that it goes on', async () => {
    const { page, close } = await seen('fabric', { width: 375 });
    const shades = await page
      .locator('.scroll')
      .evaluateAll((all) =>
        all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => getComputedStyle(each).backgroundImage),
      );
    assert.ok(shades.length);
    for (const shade of shades) assert.match(shade, /linear-gradient/);
    await close();
  });
});
