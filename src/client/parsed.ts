/** The object in a JSON text; an empty object if the text has none, or is no JSON. */
export function parsed(text: string | null): object {
  try {
    return JSON.parse(text as string) ?? {};
  } catch {
    return {};
  }
}
