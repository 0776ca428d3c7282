// Pages (PAGES names their folder) look as they looked: pictures at three widths against those in tests/looks.
// RENEW=1 writes these anew. Pictures are half as fine as the page. Where letters have other widths than on the
// machine that took the pictures, nothing can be compared, and the tests say so.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

import { launch, seeAll } from './browser.mjs';

const LOOKS = join(dirname(fileURLToPath(import.meta.url)), 'looks');
const WIDTHS = [375, 800, 1280];
const PAGES = (process.env.NAMES ?? '').split(',');
const LETTERS = 'Hamburgefonstiv 0123456789 µs';
/** Of all pixels: pictures of one page twice differ in none, small letters a sixth larger in 0.2 % and more. */
const MOST_DIFFERENT = 0.002;
const MOST_HIGHER = 0.02;

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

async function shown(name, width) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, deviceScaleFactor: 0.5 });
  const page = await context.newPage();
  await page.goto(`file://${join(process.env.PAGES, name)}.html`);
  await page.waitForSelector('main');
  await seeAll(page);
  return { page, close: () => context.close() };
}

/** How wide letters are here: another font would move every line. */
async function lettersWidth() {
  const page = await browser.newPage();
  await page.setContent(`<span style="font: 16px system-ui, sans-serif">${LETTERS}</span>`);
  const width = await page.evaluate(() => document.querySelector('span').getBoundingClientRect().width);
  await page.close();
  return Math.round(width);
}

/** The part of a picture that two have in common. */
function cropped(picture, height) {
  const part = new PNG({ width: picture.width, height });
  PNG.bitblt(picture, part, 0, 0, picture.width, height, 0, 0);
  return part.data;
}

const known = () => Number(readFileSync(join(LOOKS, 'letters.txt'), 'utf8'));

for (const name of PAGES) {
  for (const width of WIDTHS) {
    test(`${name} looks as it looked at ${width} px`, async (context) => {
      const letters = await lettersWidth();
      const file = join(LOOKS, `${name}-${width}.png`);
      const renews = process.env.RENEW === '1';
      if (!renews && letters !== known()) return context.skip(`letters are ${letters} px wide here, not ${known()}`);
      const { page, close } = await shown(name, width);
      const bytes = await page.screenshot({ fullPage: true });
      await close();
      if (renews) {
        mkdirSync(LOOKS, { recursive: true });
        writeFileSync(file, bytes);
        writeFileSync(join(LOOKS, 'letters.txt'), `${letters}\n`);
        return;
      }
      const [now, then] = [PNG.sync.read(bytes), PNG.sync.read(readFileSync(file))];
      const height = Math.min(now.height, then.height);
      assert.equal(now.width, then.width);
      assert.ok(Math.abs(now.height / then.height - 1) <= MOST_HIGHER, `${now.height} px high, not ${then.height}`);
      const differ = pixelmatch(cropped(now, height), cropped(then, height), null, now.width, height, {
        includeAA: true,
      });
      const share = differ / (now.width * height);
      if (process.env.PICTURES) writeFileSync(join(process.env.PICTURES, `${name}-${width}.png`), bytes);
      assert.ok(share <= MOST_DIFFERENT, `${(100 * share).toFixed(1)} % of the pixels differ from ${file}`);
    });
  }
}
