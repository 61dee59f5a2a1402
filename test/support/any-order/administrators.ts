import { expect } from 'vitest';
import { command, exists, fromEnd, hasSession } from './command.js';

export const disable = command('disable', ({ at }) => ({
  isPossible: exists,
  request: ({ userId }) => ({
    send: (world) => world.decide(at, 'PATCH', userId, { status: 'inactive' }),
    judge(model, { status }) {
      expect(status).toBe(200);
      model.isDisabled = true;
      model.end('account_disabled');
    },
  }),
}));

export const enable = command('enable', ({ at }) => ({
  isPossible: exists,
  request: ({ userId }) => ({
    send: (world) => world.decide(at, 'PATCH', userId, { status: 'active' }),
    judge(model, { status }) {
      const isAllowed = model.isDisabled || (model.isConfirmed && !model.isDeleted);
      expect(status).toBe(isAllowed ? 200 : 422);
      if (isAllowed) model.isDisabled = false;
    },
  }),
}));

export const remove = command('delete', ({ at }) => ({
  isPossible: exists,
  request: ({ userId }) => ({
    send: (world) => world.decide(at, 'DELETE', userId),
    judge(model, { status }) {
      expect(status).toBe(200);
      model.isDeleted = true;
      model.end('account_disabled');
    },
  }),
}));

export const restore = command('restore', ({ at }) => ({
  isPossible: exists,
  request: ({ userId }) => ({
    send: (world) => world.decide(at, 'POST', `${userId}/restore`, {}),
    judge(model, { status }) {
      expect(status).toBe(200);
      model.isDeleted = false;
    },
  }),
}));

export const endSessions = command('end all sessions as an administrator', ({ at }) => ({
  isPossible: hasSession,
  request: ({ userId }) => ({
    send: (world) => world.decide(at, 'DELETE', `${userId}/login-history`),
    judge(model, { status }) {
      expect(status).toBe(200);
      model.end('session_revoked');
    },
  }),
}));

export const endSession = command('end a session as an administrator', ({ at, which }) => ({
  isPossible: hasSession,
  request({ userId, sessions }) {
    const { id, end } = fromEnd(sessions, which);
    return {
      send: (world) => world.decide(at, 'DELETE', `${userId}/login-history/${id}`),
      judge(model, { status }) {
        // Of two who end it at the same moment, the second may be told so too.
        expect(status).toBeOneOf(end ? [404] : model.session(id).end ? [200, 404] : [200]);
        model.end('session_revoked', [model.session(id)]);
      },
    };
  },
}));
