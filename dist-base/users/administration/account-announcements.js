var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
import { Injectable } from '@nestjs/common';
/** How rooms above hear of what happens to accounts here. Whoever announces waits until all have reacted. */
let AccountAnnouncements = class AccountAnnouncements {
    closedListeners = [];
    /** Calls the listener after an account was disabled or deleted, and before that is answered. */
    onClosed(listener) {
        this.closedListeners.push(listener);
    }
    async announceClosed(userId) {
        await Promise.all(this.closedListeners.map((listener) => listener(userId)));
    }
};
AccountAnnouncements = __decorate([
    Injectable()
], AccountAnnouncements);
export { AccountAnnouncements };
//# sourceMappingURL=account-announcements.js.map