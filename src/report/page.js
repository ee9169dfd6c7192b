/* What a page does beyond plain HTML: tables sort, links lead to the sections.
 * Without a script nothing of it is missed. What other scripts of the page share is a member of `orthant`. */
'use strict';
const orthant = {
  /* An element: make('button', {type: 'button', onclick: f}, 'text', child, ...). */
  make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const name in attributes || {})
      if (typeof attributes[name] === 'function') element[name] = attributes[name];
      else if (attributes[name] !== null) element.setAttribute(name, attributes[name]);
    element.append(...children);
    return element;
  },

  button(text, action) {
    return orthant.make('button', {type: 'button', class: 'tool', onclick: action}, text);
  },

  /* A button that is down or up; `action` is told which. */
  toggle(text, down, action) {
    const button = orthant.make('button', {type: 'button', class: 'tool', 'aria-pressed': down}, text);
    button.onclick = () => {
      const now = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', now);
      action(now);
    };
    return button;
  },

  /* A labelled choice between texts; `action` is given the index. */
  choice(label, texts, action) {
    const select = orthant.make('select', {onchange: () => action(select.selectedIndex)},
      ...texts.map(text => orthant.make('option', null, text)));
    return orthant.make('label', {class: 'choice'}, label + ' ', select);
  },

  /* A number as a reader wants it: four digits, no powers of ten in everyday sizes. */
  number(value) {
    if (value === null || value === undefined || Number.isNaN(value)) return '\u2013';
    const size = Math.abs(value);
    if (size && (size < 1e-4 || size >= 1e7)) return value.toExponential(3);
    return Number(value.toPrecision(size >= 1000 ? 7 : 4)).toLocaleString('en', {maximumFractionDigits: 8});
  },

  count(value) { return value.toLocaleString('en'); },

  /* Little-endian numbers from base64: array(text, Uint16Array). */
  array(text, Type) {
    const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
    return new Type(bytes.buffer);
  },

  /* Offers a text as a file. */
  download(name, text) {
    const address = URL.createObjectURL(new Blob([text], {type: 'text/csv'}));
    const link = orthant.make('a', {href: address, download: name});
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  },

  /* What lies under the mouse, beside it and inside the window: show(x, y, text or elements), hide(). */
  tip: {
    box: null,
    show(x, y, ...content) {
      if (!this.box) {
        this.box = orthant.make('div', {class: 'tip', 'aria-hidden': 'true'});
        document.body.append(this.box);
      }
      const box = this.box;
      box.replaceChildren(...content);
      box.hidden = false;
      const width = document.documentElement.clientWidth, height = window.innerHeight;
      box.style.left = Math.max(4, x + 14 + box.offsetWidth > width ? x - 14 - box.offsetWidth : x + 14) + 'px';
      box.style.top = Math.max(4, Math.min(y + 14, height - box.offsetHeight - 4)) + 'px';
    },
    hide() { if (this.box) this.box.hidden = true; },
  },

  /* Tells a screen reader. */
  say(text) {
    if (!orthant.voice) {
      orthant.voice = orthant.make('div', {class: 'unseen', role: 'status', 'aria-live': 'polite'});
      document.body.append(orthant.voice);
    }
    orthant.voice.textContent = text;
  },
};
window.addEventListener('scroll', () => orthant.tip.hide(), {passive: true});
window.addEventListener('keydown', event => { if (event.key === 'Escape') orthant.tip.hide(); });

/* A header becomes a button: a click or a key sorts by its column, numbers from the largest, texts from the first;
 * again, the other way round. Rows in the foot stay. */
(() => {
  const keyOf = (row, i) => {
    const cell = row.cells[i], value = cell.getAttribute('data-v');
    return value === null ? cell.textContent.trim() : parseFloat(value);
  };
  const compare = (a, b, sign) => {
    const x = typeof a === 'number', y = typeof b === 'number';
    if (x && y) return sign * (a - b);
    if (x !== y) return x ? -1 : 1;
    return sign * a.localeCompare(b, undefined, {numeric: true});
  };
  const sort = (table, i) => {
    const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
    const rows = [...body.rows].map((row, n) => ({row, n, key: keyOf(row, i)}));
    const state = heads[i].getAttribute('aria-sort');
    const first = rows.some(r => typeof r.key === 'number') ? 'descending' : 'ascending';
    const next = state === null || state === 'none' ? first : state === 'ascending' ? 'descending' : 'ascending';
    rows.sort((a, b) => compare(a.key, b.key, next === 'ascending' ? 1 : -1) || a.n - b.n);
    body.append(...rows.map(r => r.row));
    heads.forEach((head, h) => head.setAttribute('aria-sort', h === i ? next : 'none'));
  };
  document.querySelectorAll('table.sheet').forEach(table => {
    if (!table.tBodies[0]) return;
    [...table.tHead.rows[0].cells].forEach((head, i) => {
      if (!head.textContent.trim()) return;
      const button = orthant.make('button', {type: 'button', onclick: () => sort(table, i)}, ...head.childNodes);
      head.append(button);
      head.setAttribute('aria-sort', 'none');
    });
  });
})();

/* Links to the sections. */
(() => {
  const nav = document.querySelector('nav'), sections = document.querySelectorAll('h2');
  if (!nav || sections.length < 4) return;
  sections.forEach((section, i) => {
    section.id = section.id || 's' + (i + 1);
    nav.append(orthant.make('a', {href: '#' + section.id}, section.textContent));
  });
  nav.hidden = false;
})();
