"""What a call of the subject raised, as the rank tells it."""


class CallRefused(Exception):
    def __init__(self, call, step, code, text):
        super().__init__(text)
        self.call, self.step, self.code, self.text = call, step, code, text
