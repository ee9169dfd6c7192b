/* The viewer of a segmentation: two layers of a picture with a wipe between them, names of regions under the mouse, frames;
 * and a cloud that turns. Labels come as the colours of a palette. */
(() => {
  const coloursOf = element => {
    const text = element.getAttribute('data-colours'), list = [];
    for (let i = 0; i + 6 <= text.length; i += 6) list.push(parseInt(text.slice(i, i + 6), 16));
    return list;
  };
  const share = (part, all) => (100 * part / all).toFixed(1) + ' %';

  /* The label of each pixel; colours that are none of the palette's are labels of their own. */
  const labelsOf = (image, colours, width, height) => {
    const canvas = orthant.make('canvas', {width, height}), context = canvas.getContext('2d', {willReadFrequently: true});
    context.drawImage(image, 0, 0);
    const pixels = context.getImageData(0, 0, width, height).data, numbers = new Map(colours.map((c, i) => [c, i]));
    const labels = new Int32Array(width * height);
    for (let p = 0; p < labels.length; p++) {
      const colour = pixels[4 * p] << 16 | pixels[4 * p + 1] << 8 | pixels[4 * p + 2];
      if (!numbers.has(colour)) numbers.set(colour, numbers.size);
      labels[p] = numbers.get(colour);
    }
    return labels;
  };
  const count = labels => {
    const sizes = new Map();
    for (const label of labels) sizes.set(label, (sizes.get(label) || 0) + 1);
    return sizes;
  };
  /* Pairs of found and true regions, those that share most first, each region in one pair. */
  const match = (found, truth) => {
    const shared = new Map(), partner = new Map(), taken = new Set();
    for (let p = 0; p < found.length; p++) {
      const key = found[p] + ',' + truth[p];
      shared.set(key, (shared.get(key) || 0) + 1);
    }
    for (const [key] of [...shared].sort((a, b) => b[1] - a[1])) {
      const [f, t] = key.split(',').map(Number);
      if (partner.has(f) || taken.has(t)) continue;
      partner.set(f, t);
      taken.add(t);
    }
    return {partner, shared};
  };
  /* True regions in the colours of the segments that match them; others are grey. */
  const paintTruth = (truth, partner, colours, width, height) => {
    const canvas = orthant.make('canvas', {width, height}), context = canvas.getContext('2d');
    const picture = context.createImageData(width, height), colour = new Map([...partner].map(([f, t]) => [t, colours[f % 256]]));
    for (let p = 0; p < truth.length; p++) {
      const c = colour.has(truth[p]) ? colour.get(truth[p]) : 0x808080;
      picture.data.set([c >> 16, c >> 8 & 255, c & 255, 255], 4 * p);
    }
    context.putImageData(picture, 0, 0);
    return canvas;
  };
  const drawErrors = (found, truth, partner, width, height) => {
    const canvas = orthant.make('canvas', {width, height}), context = canvas.getContext('2d');
    const picture = context.createImageData(width, height);
    let wrong = 0;
    for (let p = 0; p < found.length; p++) {
      const error = partner.get(found[p]) !== truth[p];
      wrong += error;
      picture.data.set(error ? [200, 40, 20, 255] : [225, 230, 235, 255], 4 * p);
    }
    context.putImageData(picture, 0, 0);
    return {canvas, wrong};
  };

  const build = viewer => {
    const figures = [...viewer.querySelectorAll('figure')], colours = coloursOf(viewer), layers = [];
    const layer = name => layers.find(l => l.name === name);
    figures.forEach(figure => {
      const image = figure.querySelector('img'), kind = figure.dataset.layer;
      layers.push({name: kind === 'frame' ? figure.querySelector('figcaption').textContent.replace(/\.$/, '').toLowerCase() : kind,
        drawn: image, frame: kind === 'frame'});
    });
    if (!layer('original') || !layer('found')) return;
    const image = layer('found').drawn, width = image.naturalWidth, height = image.naturalHeight, all = width * height;
    const found = labelsOf(image, colours, width, height), sizes = count(found);
    const truth = layer('truth') && labelsOf(layer('truth').drawn, colours, width, height);
    const trueSizes = truth && count(truth), pairs = truth && match(found, truth);
    const errors = truth && drawErrors(found, truth, pairs.partner, width, height);
    if (truth) layer('truth').drawn = paintTruth(truth, pairs.partner, colours, width, height);
    if (errors) layers.splice(3, 0, {name: 'error', drawn: errors.canvas});

    const canvas = orthant.make('canvas', {width, height, tabindex: 0, role: 'img',
      'aria-label': 'The picture and its segments; the slider below moves the border between two layers.'});
    canvas.style.width = Math.min(640, width < 320 ? 2 * width : width) + 'px';
    const context = canvas.getContext('2d');
    let left = 0, right = layers.findIndex(l => l.name === 'found');
    const slider = orthant.make('input', {type: 'range', min: 0, max: 100, value: 50, class: 'wipe', 'aria-label': 'Border between the two layers'});
    const draw = () => {
      const x = Math.round(width * slider.value / 100);
      context.drawImage(layers[left].drawn, 0, 0, width, height);
      if (x < width) {
        context.save();
        context.beginPath();
        context.rect(x, 0, width - x, height);
        context.clip();
        context.drawImage(layers[right].drawn, 0, 0, width, height);
        context.restore();
      }
      context.fillStyle = '#fff';
      context.fillRect(x - 1, 0, 2, height);
    };
    const describe = p => {
      const label = found[p], lines = [orthant.make('strong', null, 'segment ' + label),
        orthant.make('div', null, orthant.count(sizes.get(label)) + ' pixels, ' + share(sizes.get(label), all))];
      if (truth) {
        const partner = pairs.partner.get(label), both = pairs.shared.get(label + ',' + partner) || 0;
        lines.push(orthant.make('div', null, partner === undefined ? 'no true region matches it'
          : 'matches true region ' + partner + ' (' + orthant.count(trueSizes.get(partner)) + ' pixels), of which it has ' + share(both, trueSizes.get(partner))));
        if (partner !== truth[p]) lines.push(orthant.make('div', null, 'here the truth is region ' + truth[p]));
      }
      return lines;
    };
    const place = event => {
      const box = canvas.getBoundingClientRect();
      return [Math.min(width - 1, Math.max(0, Math.floor((event.clientX - box.left) / box.width * width))),
        Math.min(height - 1, Math.max(0, Math.floor((event.clientY - box.top) / box.height * height)))];
    };
    canvas.onpointermove = event => {
      const [x, y] = place(event);
      if (event.buttons & 1) {
        slider.value = 100 * x / width;
        draw();
      }
      orthant.tip.show(event.clientX, event.clientY, ...describe(y * width + x));
    };
    canvas.onpointerleave = () => orthant.tip.hide();
    canvas.onkeydown = event => {
      const step = {ArrowLeft: -2, ArrowRight: 2}[event.key];
      if (!step) return;
      slider.value = Number(slider.value) + step;
      draw();
      event.preventDefault();
    };
    slider.style.width = canvas.style.width;
    slider.oninput = draw;
    const names = layers.map(l => l.name), tools = orthant.make('div', {class: 'tools'});
    const choose = (label, first, take) => {
      const choice = orthant.choice(label, names, index => { take(index); draw(); });
      choice.querySelector('select').selectedIndex = first;
      tools.append(choice);
      return choice.querySelector('select');
    };
    choose('Left', left, index => { left = index; });
    const second = choose('Right', right, index => { right = index; });
    const frames = layers.map((l, i) => [l, i]).filter(([l]) => l.frame).map(([, i]) => i);
    if (frames.length > 1)
      tools.append(orthant.button('Next frame', () => {
        right = frames[(frames.indexOf(right) + 1) % frames.length];
        second.selectedIndex = right;
        draw();
        orthant.say('Right: ' + names[right]);
      }));
    viewer.prepend(canvas, slider, tools);
    if (errors)
      tools.after(orthant.make('p', {class: 'soft'}, share(errors.wrong, all) + ' of the pixels lie in a segment that another true region ' +
        'matches, or none (error): segments and true regions are paired by what they share, largest first.'));
    viewer.querySelector('.parts').hidden = true;
    viewer.dataset.ready = 'yes';
    draw();
  };
  document.querySelectorAll('.viewer').forEach(viewer =>
    Promise.all([...viewer.querySelectorAll('img')].map(image => image.decode())).then(() => build(viewer), () => {}));

  /* A cloud: points in a canvas that the mouse, a finger or the arrow keys turn. */
  document.querySelectorAll('.cloud').forEach(place => {
    const bytes = orthant.array(place.getAttribute('data-points'), Uint8Array), view = new DataView(bytes.buffer);
    const begin = 10 + view.getUint16(8, true), little = !String.fromCharCode(...bytes.slice(10, begin)).includes('>f4');
    const n = Math.floor((bytes.length - begin) / 32), colours = coloursOf(place);
    if (!n) return;
    const points = new Float32Array(8 * n);
    for (let i = 0; i < points.length; i++) points[i] = view.getFloat32(begin + 4 * i, little);
    const middle = [0, 1, 2].map(j => {
      let low = Infinity, high = -Infinity;
      for (let i = 0; i < n; i++) { low = Math.min(low, points[8 * i + j]); high = Math.max(high, points[8 * i + j]); }
      return [(low + high) / 2, (high - low) / 2];
    });
    const radius = Math.hypot(...middle.map(m => m[1])) || 1, sizes = new Map();
    for (let i = 0; i < n; i++) sizes.set(points[8 * i + 6], (sizes.get(points[8 * i + 6]) || 0) + 1);
    const width = 640, height = 480, side = n > 5000 ? 2 : 3; /* of a point, in pixels */
    const canvas = orthant.make('canvas', {width, height, tabindex: 0, role: 'img',
      'aria-label': 'The cloud. Arrow keys turn it, plus and minus change its size.'});
    const context = canvas.getContext('2d'), picture = context.createImageData(width, height);
    const depth = new Float32Array(width * height), owner = new Int32Array(width * height);
    /* To the right, upwards and into the picture, whichever axis of the file points upwards. */
    const turns = {'y': (x, y, z) => [x, y, -z], 'z': (x, y, z) => [x, z, y], 'y, downwards': (x, y, z) => [x, -y, z]};
    const axes = Object.keys(turns);
    let across = 0.5, up = 0.4, zoom = 1, mode = 0, axis = place.dataset.up || 'y';
    const colourOf = i => mode === 1 ? points[8 * i + 3] << 16 | points[8 * i + 4] << 8 | points[8 * i + 5]
      : points[8 * i + 6 + (mode === 2)] < 0 ? 0x808080 : colours[points[8 * i + 6 + (mode === 2)] % 256];
    const draw = () => {
      const a = Math.cos(across), b = Math.sin(across), c = Math.cos(up), d = Math.sin(up), scale = zoom * 0.48 * height / radius;
      picture.data.fill(0);
      depth.fill(Infinity);
      owner.fill(-1);
      for (let i = 0; i < n; i++) {
        const x = points[8 * i] - middle[0][0], y = points[8 * i + 1] - middle[1][0], z = points[8 * i + 2] - middle[2][0];
        const [right, above, into] = turns[axis](x, y, z);
        const u = a * right + b * into, w = -b * right + a * into, v = c * above + d * w, far = c * w - d * above;
        const px = Math.round(width / 2 + scale * u), py = Math.round(height / 2 - scale * v);
        const shade = Math.max(0.45, Math.min(1, 0.8 - 0.3 * far / radius)), colour = colourOf(i);
        for (let q = 0; q < side * side; q++) {
          const s = px + q % side, t = py + Math.floor(q / side), p = t * width + s;
          if (s < 0 || t < 0 || s >= width || t >= height || far >= depth[p]) continue;
          depth[p] = far;
          owner[p] = i;
          picture.data[4 * p] = shade * (colour >> 16);
          picture.data[4 * p + 1] = shade * (colour >> 8 & 255);
          picture.data[4 * p + 2] = shade * (colour & 255);
          picture.data[4 * p + 3] = 255;
        }
      }
      context.putImageData(picture, 0, 0);
    };
    /* What is in front follows the hand; the cloud never stands on its head. */
    const turn = (right, down) => {
      across -= right;
      up = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, up + down));
      draw();
    };
    let held = null;
    canvas.onpointerdown = event => { held = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); };
    canvas.onpointerup = () => { held = null; };
    canvas.onpointermove = event => {
      if (held) {
        turn((event.clientX - held[0]) / 120, (event.clientY - held[1]) / 120);
        held = [event.clientX, event.clientY];
        return;
      }
      const box = canvas.getBoundingClientRect(), x = Math.floor((event.clientX - box.left) / box.width * width);
      const i = owner[Math.floor((event.clientY - box.top) / box.height * height) * width + x];
      if (i === undefined || i < 0) orthant.tip.hide();
      else orthant.tip.show(event.clientX, event.clientY, orthant.make('strong', null, 'segment ' + points[8 * i + 6]),
        orthant.make('div', null, share(sizes.get(points[8 * i + 6]), n) + ' of the points' +
          (points[8 * i + 7] >= 0 ? ', true region ' + points[8 * i + 7] : '')));
    };
    canvas.onpointerleave = () => orthant.tip.hide();
    canvas.onkeydown = event => {
      const step = {ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1]}[event.key];
      const size = {'+': 1.15, '=': 1.15, '-': 1 / 1.15}[event.key];
      if (!step && !size) return;
      zoom *= size || 1;
      turn(...(step || [0, 0]));
      event.preventDefault();
    };
    const bigger = by => () => { zoom *= by; draw(); };
    const kinds = ['segments', 'colours of the file'];
    if (points.some((value, at) => at % 8 === 7 && value >= 0)) kinds.push('truth');
    const upwards = orthant.choice('Upwards', axes, index => { axis = axes[index]; draw(); });
    upwards.querySelector('select').selectedIndex = axes.indexOf(axis);
    place.append(canvas, orthant.make('div', {class: 'tools'}, orthant.choice('Colour by', kinds, index => { mode = index; draw(); }), upwards,
      orthant.button('Larger', bigger(1.25)), orthant.button('Smaller', bigger(0.8))),
      orthant.make('p', {class: 'soft'}, 'Drag to turn it; arrow keys do too.' + (n === 20000 ? ' At most 20,000 points are shown.' : '')));
    place.dataset.ready = 'yes';
    draw();
  });
})();
