// The window of Visual Studio Code in a real browser, as a user has it: keys, the mouse, and what is to be seen.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type FrameLocator, type Locator, type Page } from 'playwright-core';
import sharp from 'sharp';
import { until } from './code-server';

const SIZE = { width: 860, height: 540 };

/** Where the middle of a word of a line is. Runs in the browser, whose types are not ours. */
function middle(line: any, word: string): [number, number] {
  const document = line.ownerDocument;
  const texts = document.createTreeWalker(line, 4); // text nodes
  while (texts.nextNode()) {
    const at: number = texts.currentNode.data.indexOf(word);
    if (at >= 0) {
      const range = document.createRange();
      range.setStart(texts.currentNode, at);
      range.setEnd(texts.currentNode, at + word.length);
      const { x, y, width, height } = range.getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    }
  }
  throw new Error(`no ${word} in ${line.textContent}`);
}

/** One window. Every method resolves when what it promises is to be seen, and rejects where it does not come. */
export class Workbench {
  private constructor(
    private readonly browser: Browser,
    readonly page: Page,
    private readonly pictures: string,
  ) {}

  /** Open a browser; pictures go to the folder `pictures`. */
  static async launch(pictures: string): Promise<Workbench> {
    mkdirSync(pictures, { recursive: true });
    const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
    const browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
    });
    const context = await browser.newContext({
      viewport: SIZE,
      deviceScaleFactor: 1.5,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await context.route(
      url => url.hostname !== '127.0.0.1',
      route => route.abort(),
    );
    return new Workbench(browser, await context.newPage(), pictures);
  }

  /** Open a folder, or a workspace file, of the server at `url`. */
  async open(url: string, path: string): Promise<void> {
    const kind = path.endsWith('.code-workspace') ? 'workspace' : 'folder';
    const file = this.page.locator('.explorer-viewlet .monaco-list-row').first();
    // A window was once seen that showed no files. Its user would load it again.
    for (let left = 3; ; left--) {
      await this.page.goto(`${url}/?${kind}=${encodeURIComponent(path)}`, { waitUntil: 'domcontentloaded' });
      try {
        return await file.waitFor({ timeout: 60_000 });
      } catch (error) {
        if (left === 1)
          throw new Error(`no files; the window shows: ${await this.page.locator('body').innerText()}`, {
            cause: error,
          });
      }
    }
  }

  /** Open a file by its name. */
  async openFile(name: string): Promise<void> {
    await this.page.keyboard.press('Control+P');
    await this.pick(name);
    await this.page.locator('.tab.active', { hasText: name }).waitFor();
  }

  /** Run a command by its title, from the palette. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    await this.pick(title, '>');
  }

  /** Put the cursor at a line and column, which count from 1. */
  async goto(line: number, column: number): Promise<void> {
    await this.page.keyboard.press('Control+G');
    const input = this.page.locator('.quick-input-widget input');
    await input.fill(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await input.waitFor({ state: 'hidden' });
  }

  /** Wait until the language status of the file says `text`. */
  async status(text: string): Promise<void> {
    const item = this.page.locator('.statusbar-item[id="status.languageStatus"]');
    const hover = this.page.locator('.monaco-hover:has(.hover-language-status)');
    await until(`the status ${text}`, async () => {
      await item.hover();
      await hover.waitFor();
      const said = await hover.innerText();
      await this.page.mouse.move(10, 10);
      await hover.waitFor({ state: 'hidden' });
      return said.includes(text);
    });
  }

  /** The squiggles of errors and warnings that are to be seen. */
  get squiggles(): Locator {
    return this.page.locator('.squiggly-error, .squiggly-warning');
  }

  /** The line that shows some text. */
  line(text: string): Locator {
    return this.page.locator('.view-line', { hasText: text }).first();
  }

  /** Rest the mouse on a word of a line until the hover says `text`. */
  async hover(line: string, word: string, text: string): Promise<Locator> {
    const [x, y] = await this.line(line).evaluate(middle, word);
    await this.page.mouse.move(x + 60, y + 60);
    await this.page.mouse.move(x, y, { steps: 10 });
    const hover = this.page.locator('.monaco-hover:not(.hidden)', { hasText: text }).first();
    await hover.waitFor();
    return hover;
  }

  /** What the preview of a document shows. */
  get preview(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  }

  /** The cursor's line and column, as the status bar tells them. */
  async cursor(): Promise<string> {
    return this.page.locator('[id="status.editor.selection"]').innerText();
  }

  /** What is drawn behind the text, in the order of the lines. */
  async labels(): Promise<string[]> {
    const script = `[...document.querySelectorAll('.view-line span')]
      .map(span => [span.getBoundingClientRect().top, getComputedStyle(span, '::after').content])
      .filter(([, content]) => content !== 'none')
      .sort(([one], [other]) => one - other)
      .map(([, content]) => content.slice(1, -1))`;
    return this.page.evaluate<string[]>(script);
  }

  /** The kinds of lines that are drawn under the text. */
  async underlines(): Promise<string[]> {
    const script = `[...document.querySelectorAll('.view-overlays .cdr')]
      .map(mark => getComputedStyle(mark).borderBottomStyle)
      .filter(style => style !== 'none')`;
    return [...new Set(await this.page.evaluate<string[]>(script))].sort();
  }

  /** Copy a text to the clipboard. */
  async copy(text: string): Promise<void> {
    await this.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  }

  /** The messages that are to be seen. */
  get notifications(): Locator {
    return this.page.locator('.notifications-toasts .notification-list-item');
  }

  /** The message that says `text`. */
  async notification(text: string, seconds = 30): Promise<Locator> {
    const toast = this.notifications.filter({ hasText: text }).first();
    await toast.waitFor({ timeout: seconds * 1000 });
    return toast;
  }

  /** Take a picture of the window, without its title bar; 256 colours do, and keep the file small. */
  async picture(name: string): Promise<void> {
    const top = 35;
    const clip = { x: 0, y: top, width: SIZE.width, height: SIZE.height - top };
    const picture = sharp(await this.page.screenshot({ clip, animations: 'disabled' }));
    await picture.png({ palette: true, dither: 0, effort: 10 }).toFile(join(this.pictures, `${name}.png`));
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  private async pick(text: string, before = ''): Promise<void> {
    const input = this.page.locator('.quick-input-widget input');
    await input.fill(before + text);
    await this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: text }).waitFor();
    await this.page.keyboard.press('Enter');
  }
}
