// Reads the `operations` that openapi-typescript writes.

type PathOf<O> = O extends { parameters: { path: infer P } } ? P : object;
type QueryOf<O> = O extends { parameters: { query?: infer Q } }
  ? [Exclude<Q, undefined>] extends [never]
    ? object
    : Exclude<Q, undefined>
  : object;
/** Of an operation whose fields are all optional, the body is optional, too. */
type BodyOf<O, Given extends string> = O extends { requestBody?: infer R }
  ? NonNullable<R> extends { content: { 'application/json': infer B } }
    ? [Given] extends [never]
      ? B
      : Omit<B, Given>
    : object
  : object;
type Fields<O, Given extends string> = PathOf<O> & QueryOf<O> & BodyOf<O, Given>;

/**
 * The parameters of an operation's method: none, an optional one, or a required one.
 * @typeParam Given fields of the body that the client adds itself
 */
export type Input<O, Given extends string = never> = keyof Fields<O, Given> extends never
  ? []
  : Partial<Fields<O, Given>> extends Fields<O, Given>
    ? [input?: Fields<O, Given>]
    : [input: Fields<O, Given>];

type Answer<O, Status extends number> = O extends {
  responses: { [S in Status]: { content: { 'application/json': infer B } } };
}
  ? B
  : never;

type Success<O> = Answer<O, 200> | Answer<O, 201> | Answer<O, 202>;
/** Where the answer may have no content instead. */
type Nothing<O> = O extends { responses: { 204: unknown } } ? undefined : never;

/** `data` of the successful answer; void if it has none. */
export type Data<O> = [Success<O>] extends [never]
  ? void
  : Success<O> extends { data: infer D }
    ? D extends null
      ? void
      : D | Nothing<O>
    : void;
