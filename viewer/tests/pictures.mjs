// The pictures of the documents: node tests/pictures.mjs PAGE.html PICTURE.png SELECTOR.

import { resolve } from 'node:path';

import { launch, open, seeAll } from './browser.mjs';

const [file, picture, selector] = process.argv.slice(2);
const browser = await launch();
const { page } = await open(browser, `file://${resolve(file)}`, { width: 1000 });
await seeAll(page);
await page.locator(selector).first().screenshot({ path: picture });
await browser.close();
