/* What a page does beyond plain HTML: tables sort, links lead to the sections, lines of charts are switched off and on.
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

/* Under a chart of several named lines a button for each switches it off and on. */
document.querySelectorAll('.chart').forEach(chart => {
  const lines = [...chart.querySelectorAll('g[id*="gnuplot_plot_"]')].filter(g => g.querySelector('title'));
  const names = lines.map(g => g.querySelector('title').textContent.trim());
  const named = lines.filter((g, i) => names[i] && !names[i].startsWith('gnuplot_plot_'));
  if (named.length < 2) return;
  const row = orthant.make('div', {class: 'tools', role: 'group', 'aria-label': 'Lines of the chart'});
  lines.forEach((line, i) => {
    if (!named.includes(line)) return;
    const button = orthant.toggle(names[i], true, on => { line.style.display = on ? '' : 'none'; });
    const drawn = [...line.querySelectorAll('[stroke]')].find(e => e.getAttribute('stroke').startsWith('var(--c'));
    row.append(button);
    if (drawn) button.prepend(orthant.make('span', {class: 'chip', style: 'background:' + drawn.getAttribute('stroke')}));
  });
  chart.after(row);
});

/* Values under the mouse, or under the arrow keys: a chart's figure holds its numbers as <script class="values">
 * {names, rows: [[x, ...]], range: [x from, to, y from, to], logX, logY}, and where its frame lies. */
document.querySelectorAll('script.values').forEach(block => {
  const data = JSON.parse(block.textContent), svg = block.parentNode.querySelector('svg');
  if (!svg || !data.rows.length) return;
  const [left, right, bottom, top] = block.dataset.frame.split(' ').map(Number), size = svg.viewBox.baseVal;
  const part = (value, low, high, log) => log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  const xOf = row => size.width * (left + (right - left) * part(row[0], data.range[0], data.range[1], data.logX));
  const yOf = value => size.height * (1 - bottom - (top - bottom) * part(value, data.range[2], data.range[3], data.logY));
  const mark = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  mark.setAttribute('stroke', 'currentColor');
  mark.setAttribute('fill', 'none');
  svg.append(mark);
  svg.setAttribute('tabindex', '0');
  /* The columns that are lines of the chart: behind x and seconds. */
  const drawn = data.names.map((name, c) => c).slice(2).filter(c => data.firstOnly ? c === 2 : !(data.skipFirst && c === 2));
  let at = -1;
  const show = (index, speak) => {
    at = Math.max(0, Math.min(index, data.rows.length - 1));
    const row = data.rows[at], x = xOf(row);
    const dots = drawn.map(c => yOf(row[c])).filter(y => y >= 0 && y <= size.height)
      .map(y => `M${x - 3.5},${y}a3.5,3.5 0 1,0 7,0a3.5,3.5 0 1,0 -7,0`);
    mark.setAttribute('d', `M${x},${size.height * (1 - top)}V${size.height * (1 - bottom)}` + dots.join(''));
    const corner = svg.createSVGPoint();
    corner.x = x;
    corner.y = size.height * (1 - top);
    const place = corner.matrixTransform(svg.getScreenCTM());
    const lines = data.names.map((name, c) => name + ' ' + orthant.number(row[c]));
    orthant.tip.show(place.x, place.y, ...lines.map(line => orthant.make('div', null, line)));
    if (speak) orthant.say(lines.join(', '));
  };
  const hide = () => { mark.setAttribute('d', ''); orthant.tip.hide(); };
  svg.addEventListener('pointermove', event => {
    const point = svg.createSVGPoint();
    point.x = event.clientX;
    point.y = event.clientY;
    const x = point.matrixTransform(svg.getScreenCTM().inverse()).x;
    let best = 0;
    data.rows.forEach((row, i) => { if (Math.abs(xOf(row) - x) < Math.abs(xOf(data.rows[best]) - x)) best = i; });
    show(best, false);
  });
  svg.addEventListener('pointerleave', hide);
  svg.addEventListener('blur', hide);
  svg.addEventListener('keydown', event => {
    const step = {ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20, Home: -1e9, End: 1e9}[event.key];
    if (!step) return;
    show(at + step, true);
    event.preventDefault();
  });
});
