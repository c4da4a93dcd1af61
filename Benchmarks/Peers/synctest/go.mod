module sleeps

go 1.25
