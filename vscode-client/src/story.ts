// The version story of the tensor under the cursor, drawn into the editor: where it was saved, where its version moved,
// which backward() fails. What is certain has a solid border, what is only possible a dashed one.
import * as vscode from 'vscode';
import { type BaseLanguageClient, Range } from 'vscode-languageclient/node';

/** What the server answers to `gradguard/versionStory`. */
export interface Story {
  name: string;
  version: number | null;
  places: { range: Range; kind: Kind; label: string; text: string; certain: boolean }[];
}

type Kind = 'saved' | 'changed' | 'unseen' | 'backward';

const COLORS: Record<Kind, string> = {
  saved: 'gradguard.savedBorder',
  changed: 'gradguard.changedBorder',
  unseen: 'gradguard.changedBorder',
  backward: 'gradguard.backwardBorder',
};

const SHOWN = 'gradguard.storyShown';

/** Draws one story at a time. `redrawn` hears of a document that gets a story or loses it. */
export class StoryView implements vscode.Disposable {
  private readonly types = new Map<string, vscode.TextEditorDecorationType>();
  private readonly subscriptions: vscode.Disposable[];
  private editor: vscode.TextEditor | undefined;

  constructor(private readonly redrawn: (document: vscode.TextDocument) => void) {
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument(event => {
        if (event.document === this.editor?.document && event.contentChanges.length > 0) {
          this.hide();
        }
      }),
      vscode.window.onDidChangeActiveTextEditor(() => this.hide()),
    ];
  }

  /** Whether a story is drawn into a document. */
  isIn(document: vscode.TextDocument): boolean {
    return this.editor?.document === document;
  }

  /** Ask for the story at the cursor and draw it. */
  async show(client: BaseLanguageClient): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      return;
    }
    const before = editor.document.version;
    const story = await client.sendRequest<Story | null>('gradguard/versionStory', {
      textDocument: { uri: editor.document.uri.toString() },
      position: client.code2ProtocolConverter.asPosition(editor.selection.active),
    });
    this.hide();
    if (story === null) {
      void vscode.window.setStatusBarMessage(vscode.l10n.t('GradGuard: no tensor is known here'), 4000);
    } else if (editor.document.version === before && editor === vscode.window.activeTextEditor) {
      this.draw(editor, story, client);
    }
  }

  hide(): void {
    for (const type of this.types.values()) {
      this.editor?.setDecorations(type, []);
    }
    this.mark(undefined);
  }

  dispose(): void {
    this.hide();
    vscode.Disposable.from(...this.subscriptions, ...this.types.values()).dispose();
  }

  private draw(editor: vscode.TextEditor, story: Story, client: BaseLanguageClient): void {
    const groups = new Map<vscode.TextEditorDecorationType, vscode.DecorationOptions[]>();
    const add = (type: vscode.TextEditorDecorationType, option: vscode.DecorationOptions) =>
      groups.set(type, [...(groups.get(type) ?? []), option]);
    for (const { range, kind, label, text, certain } of story.places) {
      const place = client.protocol2CodeConverter.asRange(range);
      const { end } = editor.document.lineAt(place.end).range;
      add(this.type('mark', kind, certain), { range: place, hoverMessage: text });
      add(this.type('label', kind, certain), {
        range: new vscode.Range(end, end),
        renderOptions: { after: { contentText: label } },
      });
    }
    groups.forEach((options, type) => editor.setDecorations(type, options));
    this.mark(editor);
  }

  private mark(editor: vscode.TextEditor | undefined): void {
    const before = this.editor;
    this.editor = editor;
    void vscode.commands.executeCommand('setContext', SHOWN, editor !== undefined);
    new Set([before, editor]).forEach(one => one && this.redrawn(one.document));
  }

  /** The look of a place (`mark`), or of what stands behind its line (`label`). */
  private type(part: 'mark' | 'label', kind: Kind, certain: boolean): vscode.TextEditorDecorationType {
    const key = `${part} ${kind} ${certain}`;
    let type = this.types.get(key);
    if (type === undefined) {
      const color = new vscode.ThemeColor(COLORS[kind]);
      const look: vscode.DecorationRenderOptions =
        part === 'label'
          ? { after: { color, fontStyle: certain ? 'normal' : 'italic', margin: '0 0 0 2ch' } }
          : {
              borderStyle: certain ? 'solid' : 'dashed',
              borderWidth: '0 0 2px 0',
              borderColor: color,
              overviewRulerColor: color,
              overviewRulerLane: vscode.OverviewRulerLane.Right,
            };
      const rangeBehavior = vscode.DecorationRangeBehavior.ClosedClosed;
      this.types.set(key, (type = vscode.window.createTextEditorDecorationType({ ...look, rangeBehavior })));
    }
    return type;
  }
}
