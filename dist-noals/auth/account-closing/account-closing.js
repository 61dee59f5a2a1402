var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { Injectable } from '@nestjs/common';
import { Sessions } from '../../login-history/index.js';
import { AccountAnnouncements } from '../../users/index.js';
/** Ends the sessions of accounts that an administrator has disabled or deleted. */
let AccountClosing = class AccountClosing {
    announcements;
    sessions;
    constructor(announcements, sessions) {
        this.announcements = announcements;
        this.sessions = sessions;
    }
    onModuleInit() {
        this.announcements.onClosed(async (userId) => {
            await this.sessions.endAll(userId, 'account_disabled');
        });
    }
};
AccountClosing = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [AccountAnnouncements,
        Sessions])
], AccountClosing);
export { AccountClosing };
//# sourceMappingURL=account-closing.js.map