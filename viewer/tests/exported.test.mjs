// Pages that were exported as one file (PAGES names their folder): what holds of each of them, whatever the model.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { AXE, launch, open, seeAll } from './browser.mjs';

const FOLDER = process.env.PAGES ?? '';
const PAGES = readdirSync(FOLDER).filter((name) => name.endsWith('.html'));
const LEAST_FONT = 11;
const WIDTHS = [375, 800, 1280];

/** Texts of the page in letters below so many pixels. */
function smallTexts(least) {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || ['SCRIPT', 'STYLE'].includes(parent.tagName)) continue;
    if (Number.parseFloat(getComputedStyle(parent).fontSize) < least) found.push(walker.currentNode.data);
  }
  return found;
}

/** Marks of axes that overlap their neighbour or are cut at an edge of their figure. */
function crowdedMarks() {
  return [...document.querySelectorAll('.canvas svg')].flatMap((svg) => {
    const frame = svg.getBoundingClientRect();
    const marks = [...svg.querySelectorAll('text.tick')].map((mark) => ({
      words: mark.textContent,
      box: mark.getBoundingClientRect(),
    }));
    const cut = marks.filter(({ box }) => box.left < frame.left - 0.5 || box.right > frame.right + 0.5);
    const below = marks.filter((mark, nth) => marks.some(({ box }, other) => other < nth && box.top === mark.box.top));
    const hidden = below.filter(({ box }) =>
      marks.some((other) => other.box.top === box.top && other.box.left < box.left && other.box.right > box.left),
    );
    return [...cut, ...hidden].map(({ words }) => words);
  });
}

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

for (const name of PAGES) {
  const address = `file://${join(FOLDER, name)}`;
  describe(name, () => {
    for (const width of WIDTHS) {
      test(`it shows every view without a complaint, a request or sideways scrolling, in letters of ${LEAST_FONT} px or more, at ${width} px`, async () => {
        const { page, complaints, requests, close } = await open(browser, address, { width });
        await seeAll(page);
        assert.deepEqual(complaints, []);
        assert.deepEqual(requests, []);
        const across = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(across <= width, `${across} px wide`);
        assert.deepEqual(await page.evaluate(smallTexts, LEAST_FONT), []);
        assert.deepEqual(await page.evaluate(crowdedMarks), []);
        if (process.env.PICTURES)
          await page.screenshot({ path: join(process.env.PICTURES, `${name}-${width}.png`), fullPage: true });
        await close();
      });
    }

    for (const scheme of ['light', 'dark']) {
      test(`axe finds nothing against it in ${scheme} surroundings`, async () => {
        const { page, close } = await open(browser, address, { scheme });
        await seeAll(page);
        // The policy refuses scripts of others, axe among them; the tools of the browser may still evaluate it.
        await page.evaluate(readFileSync(AXE, 'utf8'));
        const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
        const told = found.violations.map(
          (each) => `${each.id}: ${each.nodes[0].target} ${each.nodes[0].failureSummary}`,
        );
        assert.deepEqual(told, []);
        await close();
      });
    }

    test('the keyboard alone reaches every view and every control', async () => {
      const { page, close } = await open(browser, address);
      await seeAll(page);
      const unreachable = await page.evaluate(() =>
        [...document.querySelectorAll('main button, main input, main select, main summary, main canvas, main .scroll')]
          .filter((each) => each.tabIndex < 0)
          .map((each) => each.outerHTML.slice(0, 80)),
      );
      assert.deepEqual(unreachable, []);
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(() => document.activeElement?.className), 'skip');
      // Upwards from the end, nothing that has the focus is behind the list of sections.
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      await page.evaluate(() => [...document.querySelectorAll('main summary, main .scroll')].at(-1)?.focus());
      for (let step = 0; step < 20; step += 1) {
        const hidden = await page.evaluate(() => {
          const here = document.activeElement;
          const edge = document.querySelector('nav').getBoundingClientRect().bottom;
          return here?.closest('main') && here.getBoundingClientRect().top < edge - 1
            ? here.outerHTML.slice(0, 80)
            : '';
        });
        assert.equal(hidden, '');
        await page.keyboard.press('Shift+Tab');
      }
      await close();
    });

    test('what is evaluated or put into the page as script is refused by its policy', async () => {
      const { page, close } = await open(browser, address);
      const refused = await page.evaluate(
        () =>
          new Promise((done) => {
            const kinds = [];
            document.addEventListener('securitypolicyviolation', (event) => {
              kinds.push(event.effectiveDirective);
              if (kinds.length === 2) done(kinds.sort());
            });
            const script = document.createElement('script');
            script.textContent = 'globalThis.wasRun = true';
            document.body.append(script);
            const image = document.createElement('img');
            image.src = 'http://127.0.0.1:9/picture.png';
            document.body.append(image);
          }),
      );
      assert.deepEqual(refused, ['img-src', 'script-src-elem']);
      assert.equal(await page.evaluate(() => globalThis.wasRun), undefined);
      await close();
    });
  });
}

test('a map is scrubbed and played, and a link that is selected shows its use over time', async () => {
  const { page, complaints, close } = await open(browser, `file://${join(FOLDER, 'fabric.html')}`);
  await seeAll(page);
  const slider = page.getByRole('slider', { name: 'Simulated time' });
  await slider.focus();
  const before = await page.locator('.view-map output').textContent();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.notEqual(await page.locator('.view-map output').textContent(), before);
  await page.getByRole('button', { name: 'Play' }).click();
  await page.waitForFunction((was) => document.querySelector('.view-map output').textContent !== was, before);
  await page.getByRole('button', { name: 'Pause' }).click();
  const link = page.getByLabel('Resource', { exact: true });
  await link.fill(await page.locator('.view-map datalist option').first().getAttribute('value'));
  await link.press('Enter');
  await page.waitForSelector('.chosen svg');
  assert.match(await page.locator('.chosen summary').first().textContent(), /in use/);
  assert.deepEqual(complaints, []);
  await close();
});

test('who holds a resource is told at the instant of the slider, and drawn over time', async () => {
  const { page, complaints, close } = await open(browser, `file://${join(FOLDER, 'arpanet.html')}`);
  await seeAll(page);
  const place = page.getByLabel('Resource', { exact: true });
  await place.fill('UCLA');
  await place.press('Enter');
  const line = page.locator('.chosen details', { hasText: 'line of UCLA' }).first();
  await line.evaluate((each) => (each.open = true));
  const words = line.locator('p').first();
  const mean = await words.textContent();
  assert.match(mean, /^Held by: .*data \(\d+\s%\)/);
  assert.deepEqual((await line.locator('.legend li').allTextContents()).slice(0, 1), ['in use']);
  assert.ok((await line.locator('.legend li').count()) > 2);
  await page.getByRole('slider', { name: 'Simulated time' }).focus();
  for (let nth = 0; nth < 4; nth += 1) await page.keyboard.press('ArrowRight');
  assert.match(await words.textContent(), /^Held by at .* s: /);
  assert.notEqual((await words.textContent()).split(': ')[1], mean.split(': ')[1]);
  const message = page.locator('.chosen li button', { hasText: 'message' }).first();
  await page.keyboard.press('Home');
  for (let nth = 0; nth < 60 && !(await message.count()); nth += 1) await page.keyboard.press('ArrowRight');
  const number = (await message.textContent()).match(/\d+/)[0];
  await message.click();
  assert.equal(await page.locator('.view-time-space select').inputValue(), number);
  assert.deepEqual(complaints, []);
  await close();
});

test('a message is followed through its stages, which add up to its lifetime', async () => {
  const { page, complaints, close } = await open(browser, `file://${join(FOLDER, 'fabric.html')}`);
  await seeAll(page);
  await page.getByRole('button', { name: 'The worst one' }).click();
  const rows = page.locator('.view-time-space table tbody tr');
  assert.ok((await rows.count()) > 2);
  assert.equal(await rows.first().locator('td').first().textContent(), '0 s');
  assert.match(await page.locator('.view-time-space select').inputValue(), /^\d+$/);
  assert.deepEqual(complaints, []);
  await close();
});

test('the data of a figure are given as CSV and as Parquet, and the figure as SVG and PNG', async () => {
  const { page, complaints, close } = await open(browser, `file://${join(FOLDER, 'sweep.html')}`);
  await seeAll(page);
  const figure = page.locator('.figures figure').first();
  await figure.locator('summary').click();
  for (const [kind, ending] of [
    ['CSV', 'csv'],
    ['Parquet', 'parquet'],
    ['SVG', 'svg'],
    ['PNG', 'png'],
  ]) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      figure.getByRole('button', { name: kind, exact: true }).click(),
    ]);
    await download.saveAs(join(FOLDER, `figure.${ending}`));
  }
  assert.deepEqual(complaints, []);
  await close();
});

test('an interval that goes on where its axis ends is cut at the edge of the plot', async () => {
  const { page, complaints, close } = await open(browser, `file://${join(FOLDER, 'intervals.html')}`);
  await seeAll(page);
  for (const svg of await page.locator('.canvas svg').all()) {
    // The plot begins above the axis of x and where that begins, and ends at the highest line of the grid.
    const axis = await svg.locator('line.axis').last().boundingBox();
    const top = await svg.locator('line.grid').last().boundingBox();
    const { x, y, width, height } = await svg.boundingBox();
    const beside = [
      { x, y: axis.y + 1, width, height: y + height - axis.y - 1 },
      { x, y, width: axis.x - x - 1, height },
      { x, y, width, height: top.y - y - 1 },
    ];
    const look = () => Promise.all(beside.map((clip) => page.screenshot({ clip, fullPage: true })));
    const whole = await look();
    const marks = svg.locator('.band, .spread');
    assert.ok(await marks.count());
    await marks.evaluateAll((all) => all.forEach((each) => each.remove()));
    (await look()).forEach((without, nth) => assert.ok(without.equals(whole[nth]), `region ${nth} of the figure`));
  }
  assert.deepEqual(complaints, []);
  await close();
});

test('names of every kind show as themselves and break nothing', async () => {
  const { page, complaints, close } = await open(browser, `file://${join(FOLDER, 'hostile.html')}`);
  await seeAll(page);
  const text = await page.evaluate(
    () => document.body.innerText + [...document.querySelectorAll('option')].map((each) => each.value).join(),
  );
  for (const name of JSON.parse(readFileSync(join(FOLDER, 'hostile.json'), 'utf8')))
    assert.ok(text.includes(name), name);
  assert.equal(await page.evaluate(() => globalThis.wasRun), undefined);
  assert.deepEqual(complaints, []);
  await close();
});

test('a section that is damaged does not take the others with it', async () => {
  const { page, complaints, close } = await open(browser, `file://${join(FOLDER, 'damaged.html')}`);
  const [cells, rest] = await page.locator('main section').allInnerTexts();
  assert.match(cells, /Cells[^]*This part cannot be shown: /);
  assert.match(rest, /The rest is shown/);
  assert.deepEqual(complaints, []);
  await close();
});
