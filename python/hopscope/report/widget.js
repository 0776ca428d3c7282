// A page within a notebook: a frame of its own, so that neither changes the looks of the other.

function render({ model, el }) {
  const frame = document.createElement('iframe');
  frame.title = model.get('title');
  // Its script runs and files can be saved; the notebook is out of its reach.
  frame.sandbox = 'allow-scripts allow-downloads';
  Object.assign(frame.style, { width: '100%', height: '44rem', border: '0', resize: 'vertical' });
  frame.srcdoc = model.get('html');
  el.append(frame);
}

export default { render };
