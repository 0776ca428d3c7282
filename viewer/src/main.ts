// Mounts the page over the document that stands in it, or over the one that the server sends.

import './style/colours.css';
import './style/base.css';
import './style/figures.css';
import './style/views.css';

import { mount } from 'svelte';

import App from './App.svelte';
import { documentOf } from './model/source.ts';

const place = document.getElementById('page');
if (place) {
  const again = () => documentOf(location.pathname + location.search);
  again()
    .then((content) => {
      place.replaceChildren();
      mount(App, { target: place, props: { content, again } });
    })
    .catch((failure: unknown) => {
      place.textContent = `The page cannot be shown: ${failure instanceof Error ? failure.message : String(failure)}`;
    });
}
