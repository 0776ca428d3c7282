// The browser of the tests: Debian's Chromium, or the one that CHROMIUM names.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

import { chromium } from 'playwright-core';

export const CHROMIUM = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path && existsSync(path),
);
export const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** A browser; whoever gets it closes it. */
export function launch() {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--force-color-profile=srgb'] });
}

/** Opens a page and notes every complaint of its console and every request that leaves it. */
export async function open(browser, address, { width = 1200, scheme = 'light' } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, bypassCSP: false });
  const page = await context.newPage();
  const complaints = [];
  const requests = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (failure) => complaints.push(failure.message));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) requests.push(request.url());
  });
  await page.goto(address);
  await page.waitForSelector('main');
  return { page, complaints, requests, close: () => context.close() };
}

/** Brings every view into sight once, so that all of them are drawn. */
export async function seeAll(page) {
  for (const view of await page.locator('main > section').all()) {
    await view.scrollIntoViewIfNeeded();
    await page.waitForTimeout(30);
  }
  await page.waitForFunction(() => [...document.querySelectorAll('main canvas')].every((each) => each.dataset.frameMs));
  await page.evaluate(() => scrollTo(0, 0));
}
