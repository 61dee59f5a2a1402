// Reads the `operations` that openapi-typescript writes.

type PathOf<O> = O extends { parameters: { path: infer P } } ? P : object;
type QueryOf<O> = O extends { parameters: { query?: infer Q } }
  ? [Exclude<Q, undefined>] extends [never]
    ? object
    : Exclude<Q, undefined>
  : object;
type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer B } } }
  ? Omit<B, 'refresh_token'>
  : object;
type Fields<O> = PathOf<O> & QueryOf<O> & BodyOf<O>;

/** The one argument of an operation: none, one that may be left out, or one. */
export type Input<O> = keyof Fields<O> extends never
  ? []
  : Partial<Fields<O>> extends Fields<O>
    ? [input?: Fields<O>]
    : [input: Fields<O>];

type Answer<O, Status extends number> = O extends {
  responses: { [S in Status]: { content: { 'application/json': infer B } } };
}
  ? B
  : never;

/** `data` of the successful answer; nothing where it has none. */
export type Data<O> = Answer<O, 200> | Answer<O, 201> extends { data: infer D } ? (D extends null ? void : D) : void;
