// Places in an explanation as links. Knows nothing of VS Code, so that tests run without it.
import { isAbsolute, relative } from 'node:path';

/**
 * Make links of the places that begin the items of a list, `path:line:column`, in a text that is kept in `folder`. They
 * are relative, as a preview follows no others. `name` is how a file is called.
 */
export function linked(markdown: string, folder: string, name: (path: string) => string): string {
  return markdown.replace(/^(\d+\. )`(.+\.pyi?):(\d+):(\d+)`/gm, (whole, number, path, line, column) => {
    const way = relative(folder, path);
    if (isAbsolute(way)) {
      return whole; // another drive
    }
    const target = way.split(/[\\/]/).map(encodeURIComponent).join('/');
    return `${number}[${name(path)}:${line}](${target}#L${line},${column}):`;
  });
}
