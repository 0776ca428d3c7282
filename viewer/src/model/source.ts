// Where a page's data come from: the file itself, or the server that showed it.

import type { PageDocument } from './document.ts';

const TOKEN = document.querySelector<HTMLMetaElement>('meta[name="hopscope-token"]')?.content ?? '';

/** Whether a server stands behind the page, which can run things. */
export const isServed = TOKEN !== '';

/** Where a server has the list of all results. */
export const LIST = '/view';

/** The document of the page. */
export async function documentOf(address: string): Promise<PageDocument> {
  const embedded = document.getElementById('document');
  if (embedded?.textContent) return JSON.parse(embedded.textContent) as PageDocument;
  return (await ask(`/api/document?of=${encodeURIComponent(address)}`)).json() as Promise<PageDocument>;
}

/** A block of data, compressed within the page, or from the server. */
export async function block(name: string): Promise<ArrayBuffer> {
  const embedded = document.getElementById(`block-${name}`);
  if (!embedded?.textContent)
    return (
      await ask(`/api/block/${encodeURIComponent(name)}?of=${encodeURIComponent(location.pathname + location.search)}`)
    ).arrayBuffer();
  const text = atob(embedded.textContent.trim());
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(plain).arrayBuffer();
}

/** Asks the server, with the token of this page. */
export async function ask(path: string, body?: unknown): Promise<Response> {
  const response = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'X-Hopscope-Token': TOKEN, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) throw new Error((await response.text()) || `the server answers ${response.status}`);
  return response;
}
