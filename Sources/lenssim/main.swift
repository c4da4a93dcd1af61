print("lenssim")
