// The settings, and which of them the server is told. Knows nothing of VS Code, so that tests run without it.

/** The settings that the server knows, by their names without `gradguard.`; the others are the extension's own. */
export const FOR_SERVER = ['minSeverity', 'select', 'ignore', 'configuration', 'inlayHints'] as const;

/** Pick out what the server is to be told of the `gradguard` settings. */
export function forServer(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(FOR_SERVER.map(name => [name, settings[name] ?? null]));
}
