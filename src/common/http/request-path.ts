const TARGET = /^(?:https?:\/\/[^/?#]*)?([^?#]*)/i;

/** The path of a request's target, as it was sent. A proxy may send a whole address (RFC 9112 section 3.2.2). */
export function requestPath(target: string): string {
  return TARGET.exec(target)?.[1] ?? '';
}
