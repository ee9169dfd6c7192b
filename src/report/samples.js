/* The map of a run's samples, lists of them, and a confusion matrix whose cells open. What is known of the samples
 * stands in the page as <script id="samples">: src/report/sample_map_page.c writes it. */
(() => {
  const block = document.getElementById('samples');
  if (!block) return;
  const data = JSON.parse(block.textContent);
  const NOTHING = 65535, SHOWN = 36;
  const make = orthant.make;
  const words = name => data[name] ? orthant.array(data[name], Uint16Array) : null;
  const places = words('places'), found = words('found'), truth = words('truth'), errors = words('errors');
  const encodings = data.encodings ? orthant.array(data.encodings, Uint8Array) : null;
  const sheet = data.pictures ? new Image() : null;
  if (sheet) sheet.src = data.pictures;
  delete data.pictures;

  /* ---- one sample ---- */
  const rowOf = i => data.rows.length ? data.rows[i] : i * data.step;
  const clusterOf = i => found && found[i] !== NOTHING ? String(data.clusters[found[i]]) : '';
  const className = label => data.classes[label] || String(label);
  const classOf = i => truth && truth[i] !== NOTHING ? className(data.labels[truth[i]]) : '';
  const errorOf = i => errors && errors[i] !== NOTHING ? errors[i] / 65534 * data.largestError : NaN;

  const titleOf = i => data.names[i] || 'sample ' + rowOf(i);
  const linesOf = i => [data.names[i] ? 'row ' + rowOf(i) : '', found ? 'cluster ' + (clusterOf(i) || '\u2013') : '',
    truth ? 'class ' + (classOf(i) || '\u2013') : '', errors ? 'error ' + orthant.number(errorOf(i)) : ''].filter(Boolean);

  const pictureOf = (i, side) => {
    const zoom = Math.max(1, Math.floor(side / Math.max(data.width, data.height)));
    const canvas = make('canvas', {width: data.width, height: data.height, role: 'img', 'aria-label': titleOf(i)});
    canvas.style.width = data.width * zoom + 'px';
    canvas.style.height = data.height * zoom + 'px';
    const draw = () => canvas.getContext('2d').drawImage(sheet, i % data.across * data.width,
      Math.floor(i / data.across) * data.height, data.width, data.height, 0, 0, data.width, data.height);
    if (sheet.complete) draw(); else sheet.addEventListener('load', draw);
    return canvas;
  };

  /* ---- lists ---- */
  const quoted = text => /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  const csvOf = samples => 'sample,name,cluster,class,error\n' + samples.map(i => [rowOf(i), quoted(data.names[i] || ''),
    clusterOf(i), quoted(classOf(i)), Number.isNaN(errorOf(i)) ? '' : errorOf(i).toPrecision(4)].join(',') + '\n').join('');

  /* Shows samples in `box`; an empty list empties it. */
  const list = (box, title, samples, close) => {
    box.replaceChildren();
    box.hidden = !samples.length;
    if (!samples.length) return;
    const items = make('ul', {class: 'samples'});
    let shown = 0;
    const more = orthant.button('Show more', () => {
      for (const end = Math.min(shown + SHOWN, samples.length); shown < end; shown++) {
        const i = samples[shown];
        items.append(make('li', null, ...sheet ? [pictureOf(i, 48)] : [],
          make('b', null, titleOf(i)), ' ' + linesOf(i).join(', ')));
      }
      more.hidden = shown === samples.length;
    });
    more.click();
    box.append(make('div', {class: 'tools'}, make('b', null, title + ': ' + orthant.count(samples.length) +
      (samples.length === 1 ? ' sample' : ' samples')),
      orthant.button('Download CSV', () => orthant.download('samples.csv', csvOf(samples))),
      orthant.button('Close', close)), items, more);
    orthant.say(title + ': ' + samples.length + ' samples');
  };

  /* ---- the cards of the clusters ---- */
  const tellAt = (x, y, i, title, speak) => {
    const lines = i < 0 ? [] : linesOf(i);
    orthant.tip.show(x, y, ...sheet && i >= 0 ? [pictureOf(i, 96)] : [], make('b', null, title), ...lines.map(line => make('div', null, line)));
    if (speak) orthant.say([title, ...lines].join(', '));
  };

  /* Pictures beside each other in one image: each is told under the mouse, or by the arrow keys. */
  document.querySelectorAll('.strip').forEach(strip => {
    const numbers = strip.dataset.samples.split(' ').map(Number), image = strip.querySelector('img');
    let at = -1;
    strip.tabIndex = 0;
    strip.setAttribute('role', 'group');
    strip.setAttribute('aria-label', image.alt + '; the arrow keys tell each');
    const show = (next, speak) => {
      at = Math.max(0, Math.min(numbers.length - 1, next));
      const place = image.getBoundingClientRect(), i = numbers[at] / data.step, known = Number.isInteger(i) && i < data.count;
      tellAt(place.left + (at + 0.5) / numbers.length * place.width, place.bottom, known ? i : -1,
        known ? titleOf(i) : 'sample ' + numbers[at], speak);
    };
    image.onpointermove = event => {
      const place = image.getBoundingClientRect();
      show(Math.floor((event.clientX - place.left) / place.width * numbers.length), false);
    };
    image.onpointerleave = () => orthant.tip.hide();
    strip.onblur = () => orthant.tip.hide();
    strip.onkeydown = event => {
      const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (event.key === 'Escape') orthant.tip.hide();
      if (!step) return;
      show(at + step, true);
      event.preventDefault();
    };
  });

  document.querySelectorAll('.card').forEach(card => {
    if (!found) return;
    const name = 'cluster ' + card.dataset.cluster, box = make('div', {class: 'listed', hidden: ''});
    const button = orthant.button('List its samples', () => {
      const open = button.getAttribute('aria-expanded') !== 'true', samples = [];
      for (let i = 0; i < data.count && open; i++) if (clusterOf(i) === card.dataset.cluster) samples.push(i);
      button.setAttribute('aria-expanded', open);
      list(box, 'Cluster ' + card.dataset.cluster, samples, () => { button.click(); button.focus(); });
    });
    button.setAttribute('aria-expanded', 'false');
    button.setAttribute('aria-label', 'List its samples: ' + name);
    card.append(make('div', {class: 'tools'}, button));
    card.after(box);
  });

  /* ---- the confusion matrix ---- */
  document.querySelectorAll('table.confusion').forEach(table => {
    if (!found || !truth) return;
    const box = make('div', {class: 'listed', hidden: ''});
    const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells].slice(1);
    const cells = [];
    let open = null;
    const shut = () => {
      if (open) { open.setAttribute('aria-expanded', 'false'); open.focus(); }
      open = null;
      list(box, '', []);
    };
    for (const row of table.tBodies[0].rows) {
      const label = Number(row.cells[0].dataset.label);
      row.cells[0].textContent = className(label);
      let whole = 0;
      for (const cell of [...row.cells].slice(1)) whole += Number(cell.textContent);
      [...row.cells].slice(1).forEach((cell, j) => {
        const count = Number(cell.textContent), cluster = Number(heads[j].dataset.label);
        if (!count) return;
        const title = 'Class ' + className(label) + ' in cluster ' + cluster;
        const button = make('button', {type: 'button', 'aria-expanded': 'false', 'aria-label': title + ': ' + count + ' samples'},
          cell.textContent);
        button.onclick = () => {
          if (open === button) return shut();
          if (open) open.setAttribute('aria-expanded', 'false');
          open = button;
          button.setAttribute('aria-expanded', 'true');
          const samples = [];
          for (let i = 0; i < data.count; i++)
            if (data.clusters[found[i]] === cluster && data.labels[truth[i]] === label) samples.push(i);
          list(box, title, samples, shut);
        };
        cell.replaceChildren(button);
        cells.push({button, count, whole});
      });
    }
    const unit = orthant.choice('Cells show', ['counts', 'shares of the class, %'], kind => cells.forEach(c => {
      c.button.textContent = kind ? (100 * c.count / c.whole).toFixed(c.count === c.whole ? 0 : 1) : c.count;
    }));
    const region = table.closest('figure');
    region.prepend(make('div', {class: 'tools'}, unit, make('span', {class: 'soft'}, 'A cell opens its samples.')));
    region.append(box);
  });

  /* ---- the map ---- */
  const figure = document.getElementById('map');
  if (!figure || !places) return;
  const stage = make('div', {class: 'stage'});
  const canvas = make('canvas', {tabindex: '0', role: 'application', 'aria-roledescription': 'map',
    'aria-label': 'Map of ' + data.count + ' samples', 'aria-describedby': 'map-keys'});
  const overlay = make('canvas', {'aria-hidden': 'true'});
  const keys = make('p', {class: 'soft', id: 'map-keys'}, 'Point at a sample to see it, drag over a region to list it. Keys: ' +
    'arrows go to the next sample, Enter lists it, Space marks two corners of a region, Escape ends the selection.');
  const legend = make('div', {class: 'tools', role: 'group', 'aria-label': 'Colours of the map'});
  const box = make('div', {class: 'listed', hidden: ''});
  const hiddenClasses = new Set();
  const EDGE = 14, RAMP = ['#440154', '#3b528b', '#21908d', '#5dc963', '#fde725'];
  let width, height, scale, layout = 1, xs, ys, grid, current = -1, corner = null, drag = null, chosen = [];

  /* What points can be coloured by: classes with names, or numbers from 0 to `largest`. */
  const colourings = [];
  if (found) colourings.push({name: 'cluster', of: found, names: data.clusters.map(c => 'cluster ' + c)});
  if (truth) colourings.push({name: 'class (truth)', of: truth, names: data.labels.map(className)});
  if (errors) colourings.push({name: 'error', share: i => errors[i] === NOTHING ? 0 : errors[i] / 65534, largest: data.largestError});
  if (encodings) data.largest.forEach((largest, k) => colourings.push({name: 'part ' + k, largest,
    share: i => encodings[k * data.count + i] / 255}));
  let colouring = colourings[0] || {name: 'none', share: () => 0, largest: 0};

  const classColour = (c, count) => count > 10 ? `hsl(${c * 137.5 % 360} 65% ${dark() ? 62 : 42}%)`
    : getComputedStyle(document.documentElement).getPropertyValue('--c' + (c + 1)).trim();
  const dark = () => matchMedia('(prefers-color-scheme: dark)').matches;
  const rampColour = share => {
    const at = Math.min(share, 0.9999) * (RAMP.length - 1), low = Math.floor(at), part = at - low;
    const mix = p => Math.round(parseInt(RAMP[low].slice(p, p + 2), 16) * (1 - part) + parseInt(RAMP[low + 1].slice(p, p + 2), 16) * part);
    return `rgb(${mix(1)},${mix(3)},${mix(5)})`;
  };
  const isHidden = i => colouring.of && hiddenClasses.has(colouring.of[i]);

  /* Places on the screen, and lists of samples in squares of 16 pixels to find the nearest by. */
  const CELL = 16;
  const arrange = () => {
    const across = Math.ceil(width / CELL) + 1;
    let right = 0, top = 0;
    for (let i = 0; i < data.count; i++) {
      right = Math.max(right, places[4 * i + 2 * layout]);
      top = Math.max(top, places[4 * i + 2 * layout + 1]);
    }
    const zoom = Math.min((width - 2 * EDGE) / (right || 1), (height - 2 * EDGE) / (top || 1));
    xs = new Float32Array(data.count);
    ys = new Float32Array(data.count);
    grid = new Map();
    for (let i = 0; i < data.count; i++) {
      xs[i] = width / 2 + (places[4 * i + 2 * layout] - right / 2) * zoom;
      ys[i] = height / 2 - (places[4 * i + 2 * layout + 1] - top / 2) * zoom;
      const cell = Math.floor(ys[i] / CELL) * across + Math.floor(xs[i] / CELL);
      const there = grid.get(cell);
      if (there) there.push(i); else grid.set(cell, [i]);
    }
    grid.across = across;
  };

  const radius = () => data.count <= 3000 ? 3 : data.count <= 20000 ? 2 : 1.25;
  const drawPoints = () => {
    const pen = canvas.getContext('2d'), groups = new Map(), r = radius(), round = data.count <= 3000;
    const count = colouring.names ? colouring.names.length : 64;
    for (let i = 0; i < data.count; i++) {
      if (isHidden(i)) continue;
      const group = colouring.of ? colouring.of[i] : Math.floor(colouring.share(i) * 63.999);
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push(i);
    }
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.globalAlpha = 0.8;
    for (const group of [...groups.keys()].sort((a, b) => a - b)) {
      pen.fillStyle = group === NOTHING ? '#888888' : colouring.of ? classColour(group, count) : rampColour(group / 63);
      for (const i of groups.get(group))
        if (round) { pen.beginPath(); pen.arc(xs[i], ys[i], r, 0, 7); pen.fill(); }
        else pen.fillRect(xs[i] - r, ys[i] - r, 2 * r, 2 * r);
    }
  };
  const drawOverlay = () => {
    const pen = overlay.getContext('2d'), style = getComputedStyle(document.body);
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.strokeStyle = style.color;
    if (chosen.length && chosen.length < data.count) {
      pen.fillStyle = style.color;
      for (const i of chosen) pen.fillRect(xs[i] - 1, ys[i] - 1, 2, 2);
    }
    if (current >= 0) {
      pen.lineWidth = 2;
      pen.beginPath(); pen.arc(xs[current], ys[current], radius() + 4, 0, 7); pen.stroke();
    }
    const area = drag || (corner && current >= 0 ? {...corner, toX: xs[current], toY: ys[current]} : null);
    if (area) {
      pen.lineWidth = 1.5;
      pen.setLineDash([5, 4]);
      pen.strokeRect(area.x, area.y, area.toX - area.x, area.toY - area.y);
      pen.setLineDash([]);
    }
  };

  const drawLegend = () => {
    legend.replaceChildren();
    if (!colouring.names) {
      legend.append(make('span', {class: 'soft'}, '0', make('span', {class: 'scale',
        style: 'background:linear-gradient(to right,' + RAMP.join(',') + ')'}), orthant.number(colouring.largest)));
      return;
    }
    colouring.names.slice(0, 60).forEach((name, c) => {
      const button = orthant.toggle(name, !hiddenClasses.has(c), on => {
        if (on) hiddenClasses.delete(c); else hiddenClasses.add(c);
        drawPoints();
      });
      button.prepend(make('span', {class: 'chip', style: 'background:' + classColour(c, colouring.names.length)}));
      legend.append(button);
    });
  };

  const fit = () => {
    width = Math.max(200, stage.clientWidth);
    height = Math.min(560, Math.max(300, Math.round(width * 0.75)));
    scale = window.devicePixelRatio || 1;
    stage.style.height = height + 'px';
    for (const c of [canvas, overlay]) { c.width = Math.round(width * scale); c.height = Math.round(height * scale); }
    arrange();
    drawPoints();
    drawOverlay();
  };

  const nearest = (x, y, most) => {
    let best = -1, least = most * most;
    const cx = Math.floor(x / CELL), cy = Math.floor(y / CELL);
    for (let gy = cy - 1; gy <= cy + 1; gy++)
      for (let gx = cx - 1; gx <= cx + 1; gx++)
        for (const i of grid.get(gy * grid.across + gx) || []) {
          const away = (xs[i] - x) ** 2 + (ys[i] - y) ** 2;
          if (away < least && !isHidden(i)) { least = away; best = i; }
        }
    return best;
  };

  const tell = (i, speak) => {
    current = i;
    drawOverlay();
    if (i < 0) return orthant.tip.hide();
    const at = canvas.getBoundingClientRect();
    tellAt(at.left + xs[i], at.top + ys[i], i, titleOf(i), speak);
  };

  const choose = (samples, title) => {
    chosen = samples;
    list(box, title, samples, () => { choose([], ''); canvas.focus(); });
    drawOverlay();
  };
  const chooseArea = area => {
    const left = Math.min(area.x, area.toX), right = Math.max(area.x, area.toX);
    const low = Math.min(area.y, area.toY), high = Math.max(area.y, area.toY), inside = [];
    for (let i = 0; i < data.count; i++)
      if (xs[i] >= left && xs[i] <= right && ys[i] >= low && ys[i] <= high && !isHidden(i)) inside.push(i);
    choose(inside, 'Region');
    if (!inside.length) orthant.say('No samples in the region');
  };

  const position = event => {
    const at = canvas.getBoundingClientRect();
    return [event.clientX - at.left, event.clientY - at.top];
  };
  canvas.addEventListener('pointerdown', event => {
    const [x, y] = position(event);
    drag = {x, y, toX: x, toY: y};
    try { canvas.setPointerCapture(event.pointerId); } catch { /* a pointer that has gone */ }
  });
  canvas.addEventListener('pointermove', event => {
    const [x, y] = position(event);
    if (!drag) return tell(nearest(x, y, 12), false);
    drag.toX = x;
    drag.toY = y;
    orthant.tip.hide();
    drawOverlay();
  });
  canvas.addEventListener('pointerup', () => {
    const area = drag;
    drag = null;
    if (!area) return;
    if (Math.abs(area.toX - area.x) + Math.abs(area.toY - area.y) > 6) return chooseArea(area);
    const i = nearest(area.x, area.y, 12);
    if (i >= 0) choose([i], 'Sample');
    drawOverlay();
  });
  canvas.addEventListener('pointercancel', () => { drag = null; drawOverlay(); });
  canvas.addEventListener('pointerleave', () => { if (!drag) { orthant.tip.hide(); if (document.activeElement !== canvas) tell(-1); } });
  canvas.addEventListener('blur', () => orthant.tip.hide());

  /* The nearest sample in a direction: what lies aside counts double. */
  const next = (dx, dy) => {
    if (current < 0) return nearest(width / 2, height / 2, 1e9) >= 0 ? nearest(width / 2, height / 2, 1e9) : 0;
    let best = current, least = Infinity;
    for (let i = 0; i < data.count; i++) {
      const x = xs[i] - xs[current], y = ys[i] - ys[current], along = x * dx + y * dy;
      if (along < 1 || isHidden(i)) continue;
      const away = along + 2 * Math.abs(x * dy) + 2 * Math.abs(y * dx);
      if (away < least) { least = away; best = i; }
    }
    return best;
  };
  canvas.addEventListener('keydown', event => {
    const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
    if (step) tell(next(...step), true);
    else if (event.key === 'Enter' && current >= 0) choose([current], 'Sample');
    else if (event.key === ' ' && current >= 0) {
      const area = corner && {...corner, toX: xs[current], toY: ys[current]};
      corner = corner ? null : {x: xs[current], y: ys[current]};
      if (area) chooseArea(area); else orthant.say('Corner marked; Space at another sample ends the region');
      drawOverlay();
    } else if (event.key === 'Escape') { corner = null; choose([], ''); tell(-1); }
    else return;
    event.preventDefault();
  });

  const clearHidden = () => { hiddenClasses.clear(); drawLegend(); drawPoints(); };
  const tools = make('div', {class: 'tools'},
    orthant.choice('Layout', ['neighbours', 'principal components'], at => { layout = 1 - at; current = -1; corner = null; arrange(); drawPoints(); drawOverlay(); }),
    orthant.choice('Colour by', colourings.map(c => c.name), at => { colouring = colourings[at]; clearHidden(); }));
  stage.append(canvas, overlay);
  figure.querySelectorAll('img').forEach(img => img.remove());
  figure.prepend(tools, stage, legend, keys);
  figure.append(box);
  drawLegend();
  fit();
  new ResizeObserver(() => { if (stage.clientWidth && Math.abs(stage.clientWidth - width) > 1) fit(); }).observe(stage);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { drawLegend(); drawPoints(); drawOverlay(); });
})();
