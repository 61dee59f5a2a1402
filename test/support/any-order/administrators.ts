import { expect } from 'vitest';
import { command, exists, fromEnd, hasSession } from './command.js';

export const disable = command('disable', ({ at }) => ({
  isPossible: exists,
  async run(model, world) {
    expect((await world.decide(at, 'PATCH', model, '', { status: 'inactive' })).status).toBe(200);
    model.isDisabled = true;
    model.end('account_disabled');
  },
}));

export const enable = command('enable', ({ at }) => ({
  isPossible: exists,
  async run(model, world) {
    const isAllowed = model.isDisabled || (model.isConfirmed && !model.isDeleted);
    const { status } = await world.decide(at, 'PATCH', model, '', { status: 'active' });
    expect(status).toBe(isAllowed ? 200 : 422);
    if (isAllowed) model.isDisabled = false;
  },
}));

export const remove = command('delete', ({ at }) => ({
  isPossible: exists,
  async run(model, world) {
    expect((await world.decide(at, 'DELETE', model)).status).toBe(200);
    model.isDeleted = true;
    model.end('account_disabled');
  },
}));

export const restore = command('restore', ({ at }) => ({
  isPossible: exists,
  async run(model, world) {
    expect((await world.decide(at, 'POST', model, '/restore', {})).status).toBe(200);
    model.isDeleted = false;
  },
}));

export const endSessions = command('end sessions as an administrator', ({ at, which, isAll }) => ({
  isPossible: hasSession,
  async run(model, world) {
    if (isAll) {
      expect((await world.decide(at, 'DELETE', model, '/login-history')).status).toBe(200);
      return model.end('session_revoked');
    }
    const ended = fromEnd(model.sessions, which);
    const { status } = await world.decide(at, 'DELETE', model, `/login-history/${ended.id}`);
    expect(status).toBe(ended.end ? 404 : 200);
    model.end('session_revoked', [ended]);
  },
}));
