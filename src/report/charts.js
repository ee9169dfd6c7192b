/* Charts that answer: a button for each line switches it off and on, and values stand under the mouse or the arrow keys. */
(() => {
  /* The lines of a chart by their names, each with the error bars that stand before it without a name. */
  const linesOf = chart => {
    const lines = [];
    let before = [];
    chart.querySelectorAll('g[id*="gnuplot_plot_"]').forEach(group => {
      const title = group.querySelector('title'), name = title ? title.textContent.trim() : '';
      before.push(group);
      if (!name || name.startsWith('gnuplot_plot_')) return;
      lines.push({name, groups: before, off: false});
      before = [];
    });
    return lines;
  };

  const swatch = line => {
    const drawn = line.groups.flatMap(g => [...g.querySelectorAll('[stroke]')]).find(e => e.getAttribute('stroke').startsWith('var(--c'));
    return drawn ? [orthant.make('span', {class: 'chip', style: 'background:' + drawn.getAttribute('stroke')})] : [];
  };

  const addToggles = (chart, lines) => {
    const row = orthant.make('div', {class: 'tools', role: 'group', 'aria-label': 'Lines of the chart'});
    lines.forEach(line => {
      const button = orthant.toggle(line.name, true, on => {
        line.off = !on;
        line.groups.forEach(g => { g.style.display = on ? '' : 'none'; });
      });
      button.prepend(...swatch(line));
      row.append(button);
    });
    chart.after(row);
  };

  /* A figure holds the numbers of its chart as <script class="values">, and says where the frame lies. Either one line over
   * the iterations, {names, rows: [[x, seconds, ...]], range, logX, logY}, or several lines,
   * {across, lines: [{name, shift, points: [[x, y, spread]]}], range, logX, logY, sideways}.
   * A reader of them says where the mouse can stop, and what is told there: {dots: [[x, y]], texts}. */
  const readRows = data => {
    const shown = data.names.map((name, c) => c).slice(2).filter(c => data.firstOnly ? c === 2 : !(data.skipFirst && c === 2));
    return {
      stops: data.rows.map(row => row[0]),
      at(i) {
        const row = data.rows[i];
        return {dots: shown.map(c => [row[0], row[c]]), texts: data.names.map((name, c) => name + ' ' + orthant.number(row[c]))};
      },
    };
  };

  const nearest = (points, x) => points.reduce((best, p) => Math.abs(p[0] - x) < Math.abs(best[0] - x) ? p : best);

  const readLines = (data, lines) => {
    const known = data.lines.map((line, i) => ({...line, drawn: lines[i], points: line.points.filter(p => p[1] !== null)}))
      .filter(line => line.points.length);
    const isOff = line => line.drawn && line.drawn.off;
    const stops = [...new Set(known.flatMap(line => line.points.map(p => p[0])))].sort((a, b) => a - b);
    return {
      stops,
      at(i) {
        const x = stops[i];
        const here = known.filter(line => !isOff(line) && line.points[0][0] <= x && x <= line.points[line.points.length - 1][0])
          .map(line => ({line, point: nearest(line.points, x)}));
        const tell = ({line, point}) => line.name + ' ' + orthant.number(point[1]) +
          (point.length > 2 ? ' \u00b1 ' + orthant.number(point[2]) : '');
        return {
          dots: here.map(({line, point}) => data.sideways ? [point[1], point[0]] : [point[0] + line.shift, point[1]]),
          texts: [...(data.sideways ? [] : [data.across + ' ' + orthant.number(x)]), ...here.map(tell)],
        };
      },
    };
  };

  const addValues = (block, svg, reader, data) => {
    const [left, right, bottom, top] = block.dataset.frame.split(' ').map(Number), size = svg.viewBox.baseVal;
    const part = (value, low, high, log) => log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    const xOf = x => size.width * (left + (right - left) * part(x, data.range[0], data.range[1], data.logX));
    const yOf = y => size.height * (1 - bottom - (top - bottom) * part(y, data.range[2], data.range[3], data.logY));
    const along = data.sideways ? yOf : xOf;
    const mark = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    mark.setAttribute('stroke', 'currentColor');
    mark.setAttribute('fill', 'none');
    svg.append(mark);
    svg.setAttribute('tabindex', '0');
    let at = -1;
    const show = (index, speak) => {
      at = Math.max(0, Math.min(index, reader.stops.length - 1));
      const {dots, texts} = reader.at(at), place = along(reader.stops[at]);
      const rings = dots.map(([x, y]) => [xOf(x), yOf(y)]).filter(([x, y]) => x >= 0 && x <= size.width && y >= 0 && y <= size.height)
        .map(([x, y]) => `M${x - 3.5},${y}a3.5,3.5 0 1,0 7,0a3.5,3.5 0 1,0 -7,0`);
      const line = data.sideways ? `M${size.width * left},${place}H${size.width * right}`
        : `M${place},${size.height * (1 - top)}V${size.height * (1 - bottom)}`;
      mark.setAttribute('d', line + rings.join(''));
      const corner = svg.createSVGPoint();
      corner.x = data.sideways && dots.length ? xOf(dots[0][0]) : data.sideways ? 0 : place;
      corner.y = data.sideways ? place : size.height * (1 - top);
      const on = corner.matrixTransform(svg.getScreenCTM());
      orthant.tip.show(on.x, on.y, ...texts.map(text => orthant.make('div', null, text)));
      if (speak) orthant.say(texts.join(', '));
    };
    const hide = () => { mark.setAttribute('d', ''); orthant.tip.hide(); };
    svg.addEventListener('pointermove', event => {
      const point = svg.createSVGPoint();
      point.x = event.clientX;
      point.y = event.clientY;
      const inside = point.matrixTransform(svg.getScreenCTM().inverse()), here = data.sideways ? inside.y : inside.x;
      let best = 0;
      reader.stops.forEach((stop, i) => { if (Math.abs(along(stop) - here) < Math.abs(along(reader.stops[best]) - here)) best = i; });
      show(best, false);
    });
    svg.addEventListener('pointerleave', hide);
    svg.addEventListener('blur', hide);
    svg.addEventListener('keydown', event => {
      const step = (data.sideways ? {ArrowUp: 1, ArrowDown: -1, Home: 1e9, End: -1e9}
        : {ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20, Home: -1e9, End: 1e9})[event.key];
      if (!step) return;
      show(data.sideways && at < 0 ? reader.stops.length - 1 : at + step, true);
      event.preventDefault();
    });
  };

  document.querySelectorAll('.chart').forEach(chart => {
    const lines = linesOf(chart), svg = chart.querySelector('svg');
    if (chart.scrollWidth > chart.clientWidth + 1) { /* keys move what is wider than the page */
      chart.tabIndex = 0;
      chart.setAttribute('role', 'region');
      chart.setAttribute('aria-label', svg.getAttribute('aria-label'));
    }
    const block = chart.parentNode.querySelector('script.values'), data = block ? JSON.parse(block.textContent) : null;
    if (data && data.lines && data.lines.length === lines.length) lines.forEach((line, i) => { line.name = data.lines[i].name; });
    if (lines.length > 1) addToggles(chart, lines);
    const reader = !data || !svg ? null : data.lines ? readLines(data, lines) : readRows(data);
    if (reader && reader.stops.length) addValues(block, svg, reader, data);
  });
})();
