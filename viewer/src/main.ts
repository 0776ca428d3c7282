// Mounts the page over the document that stands in it, or over the one that the server sends.

import './style/colours.css';
import './style/base.css';
import './style/figures.css';
import './style/views.css';

import { mount } from 'svelte';

import App from './App.svelte';
import { documentOf, isServed, LIST } from './model/source.ts';

const place = document.getElementById('page');
if (place) {
  const again = () => documentOf(location.pathname + location.search);
  again()
    .then((content) => {
      place.replaceChildren();
      mount(App, { target: place, props: { content, again } });
      // The section that the address names was not there when the browser looked for it.
      if (location.hash && scrollY === 0) document.getElementById(location.hash.slice(1))?.scrollIntoView();
    })
    .catch((failure: unknown) => {
      place.textContent = `The page cannot be shown: ${failure instanceof Error ? failure.message : String(failure)}`;
      if (!isServed) return;
      const back = document.createElement('a');
      [back.href, back.textContent] = [LIST, 'All results'];
      const line = document.createElement('p');
      line.append(back);
      place.append(line);
    });
}
