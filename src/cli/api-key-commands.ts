import type { INestApplicationContext } from '@nestjs/common';
import { ApiError } from '../common/errors/index.js';
import { Config } from '../infrastructure/config/index.js';
import { API_KEY_NAME, API_KEY_NAME_RULE, ApiKeys, ApiKeysRepository, toApiKeyDto } from '../security/index.js';
import { type Command, refused, RefusedError } from './command.js';

const LISTED = 1000;

const WHICH = 'name|ak_…';
/** The part of a key that lists show; the key itself begins with it. */
const PUBLIC_PART = /^ak_([0-9a-f]{24})(?:_|$)/;

/**
 * @param which a name; or the beginning of a key, by which one that is not stored any more is found too: whoever has removed it may have
 *   died before every service knew. No name is taken for it, though one may look like it
 */
async function idOf(app: INestApplicationContext, which: string): Promise<string> {
  const named = PUBLIC_PART.exec(which)?.[1];
  if (named) return named;
  const found = await app.get(ApiKeysRepository).findByName(which);
  if (found) return found._id.toHexString();
  if (app.get(Config).apiKeys.some(({ name }) => name === which))
    throw new RefusedError(`${which} is a key of API_KEYS: it is valid for as long as the services have it there`);
  throw new RefusedError(`There is no issued API key of the name ${which}`);
}

function refusedOf(id: string) {
  return (error: unknown): never => {
    if (!(error instanceof ApiError && error.code === 'not_found')) return refused(error);
    throw new RefusedError(`There is no issued API key that begins with ak_${id} any more: services refuse it`);
  };
}

export const API_KEY_COMMANDS: Record<string, Command> = {
  'issue-api-key': {
    argument: 'name',
    help: 'issue an API key for an application; it is printed once, and stored as a hash alone',
    async run(app, name) {
      if (!API_KEY_NAME.test(name)) throw new RefusedError(API_KEY_NAME_RULE);
      const { key, stored } = await app.get(ApiKeys).issue(name).catch(refused);
      return { lines: [key], data: { _id: stored._id.toHexString(), name, key } };
    },
  },
  'list-api-keys': {
    argument: null,
    help: 'list the issued API keys, how they begin and when they were last used (not those of API_KEYS)',
    async run(app) {
      const keys = (await app.get(ApiKeysRepository).list({ page: 1, limit: LISTED })).content.map(toApiKeyDto);
      const lines = keys.map(
        ({ name, prefix, last_used_at, expires_at }) =>
          `${name}  ${prefix}  last used ${last_used_at ?? 'never'}${expires_at ? `  expires ${expires_at}` : ''}`,
      );
      return { lines: lines.length > 0 ? lines : ['No API key was issued'], data: keys };
    },
  },
  'rotate-api-key': {
    argument: WHICH,
    help: 'replace an issued API key at once by another one, which is printed once',
    async run(app, which) {
      const id = await idOf(app, which);
      const { key, stored } = await app.get(ApiKeys).rotate(id, 0).catch(refusedOf(id));
      return { lines: [key], data: { _id: id, name: stored.name, key } };
    },
  },
  'revoke-api-key': {
    argument: WHICH,
    help: 'revoke an issued API key, by its name or by its beginning in list-api-keys',
    async run(app, which) {
      const id = await idOf(app, which);
      const { name } = await app.get(ApiKeys).revoke(id).catch(refusedOf(id));
      return { lines: [`The API key ${name} was revoked (ak_${id})`], data: { _id: id, name } };
    },
  },
};
