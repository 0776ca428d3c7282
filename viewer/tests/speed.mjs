// How fast the page is, in this browser on this machine: node tests/speed.mjs PAGE.html. It prints what it measured.

import { statSync } from 'node:fs';
import { resolve } from 'node:path';

import { launch } from './browser.mjs';

const FRAMES = 90;
const file = resolve(process.argv[2]);
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, bypassCSP: true });
await page.addInitScript(() => {
  new MutationObserver((_, watcher) => {
    if (!document.querySelector('main')) return;
    watcher.disconnect();
    requestAnimationFrame(() => setTimeout(() => (globalThis.answered = performance.now())));
  }).observe(document, { childList: true, subtree: true });
});
await page.goto(`file://${file}`);
await page.waitForFunction(() => globalThis.answered);
const answered = await page.evaluate(() => globalThis.answered);
console.log(`${(statSync(file).size / 1e6).toFixed(2)} MB; answer painted after ${answered.toFixed(0)} ms`);

const tools = await page.context().newCDPSession(page);
await tools.send('Performance.enable');

/** Seconds that scripts of the page have run so far. */
async function scripted() {
  const { metrics } = await tools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'ScriptDuration').value;
}

/** Frames of a view while something changes in each: script time, and frames a second. */
async function frames(view, change) {
  const canvas = page.locator(`${view} canvas`);
  if (!(await page.locator(view).count())) return;
  const begun = Date.now();
  await page.locator(view).scrollIntoViewIfNeeded();
  await page.waitForFunction((each) => document.querySelector(`${each} canvas`)?.dataset.frameMs, view);
  const prepared = Date.now() - begun;
  await page.waitForSelector(`${view} :is(.time input, .plot)`);
  await page.waitForTimeout(500);
  const before = await scripted();
  const found = await page.evaluate(
    async ([each, count, body]) => {
      const target = document.querySelector(`${each} canvas`);
      const step = new Function('view', 'nth', body);
      const times = [];
      const start = performance.now();
      for (let nth = 0; nth < count; nth += 1) {
        step(document.querySelector(each), nth);
        await new Promise((next) => requestAnimationFrame(next));
        times.push(Number(target.dataset.frameMs));
      }
      const seconds = (performance.now() - start) / 1000;
      times.sort((a, b) => a - b);
      return {
        median: times[count >> 1],
        worst: times[Math.floor(count * 0.95)],
        rate: count / seconds,
        marks: target.dataset.marks,
      };
    },
    [view, FRAMES, change],
  );
  const script = ((await scripted()) - before) * (1000 / FRAMES);
  console.log(
    `${view}: shown after ${prepared} ms; script ${script.toFixed(1)} ms a frame, of which drawing ${found.median.toFixed(1)} ms (95 %: ${found.worst.toFixed(1)}), ` +
      `${found.rate.toFixed(0)} frames a second${found.marks ? `, ${found.marks} marks` : ''}`,
  );
  return canvas;
}

await frames(
  '.view-map',
  "const slider = view.querySelector('input[type=range]'); slider.value = nth; slider.dispatchEvent(new Event('input', { bubbles: true }))",
);
await frames(
  '.view-time-space',
  "view.querySelector('canvas').dispatchEvent(new KeyboardEvent('keydown', { key: nth < 30 ? '+' : nth % 2 ? 'ArrowRight' : 'ArrowLeft', bubbles: true }))",
);
await browser.close();
