/** What a JSON text says; an empty object where it says nothing, or is none. */
export function parsed(text: string | null): object {
  try {
    return JSON.parse(text as string) ?? {};
  } catch {
    return {};
  }
}
